// The stored moments of the shapes against sums over the C++ densities themselves.
#include "hunch/problems/breadth_reference.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/problems/breadth_posterior.hpp"

namespace hunch {
namespace {

Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

// Weighted moments, relative to a first value so that no exponential overflows.
class Moments {
 public:
  Moments(Index d, double log_offset) : offset_(log_offset), first_(Vector::Zero(d)), second_(first_) {}

  void add(const Vector& theta, double log_weight) {
    const double weight = std::exp(log_weight - offset_);
    total_ += weight;
    squares_ += weight * weight;
    first_ += weight * theta;
    second_ += weight * theta.cwiseAbs2();
  }
  Vector mean() const { return first_ / total_; }
  Vector sd() const { return (second_ / total_ - mean().cwiseAbs2()).cwiseSqrt(); }
  double effective() const { return total_ * total_ / squares_; }

 private:
  double offset_, total_ = 0, squares_ = 0;
  Vector first_, second_;
};

void expect_moments(const BreadthReference& reference, const Moments& moments, double tolerance_sd) {
  const Vector sd = as_vector(reference.sd);
  const Vector error = (moments.mean() - as_vector(reference.mean)).cwiseQuotient(sd);
  const Vector ratio = moments.sd().cwiseQuotient(sd);
  EXPECT_LT(error.cwiseAbs().maxCoeff(), tolerance_sd) << reference.problem;
  EXPECT_LT((ratio.array() - 1).abs().maxCoeff(), tolerance_sd) << reference.problem;
}

// Jumps lie between two cells.
struct Grid {
  const char* posterior;
  Vector low, high;
  int points;  // midpoints of cells along each axis
};

Moments on_grid(const Grid& grid) {
  const BreadthPosterior& posterior = breadth_posterior(grid.posterior);
  const Index d = grid.low.size();
  const Vector cell = (grid.high - grid.low) / grid.points;
  Moments moments(d, posterior.log_posterior(posterior.middle));
  Eigen::VectorXi place = Eigen::VectorXi::Zero(d);
  for (Index axis = 0; axis < d;) {
    const Vector theta = grid.low.array() + cell.array() * (place.cast<double>().array() + 0.5);
    moments.add(theta, posterior.log_posterior(theta));
    for (axis = 0; axis < d && ++place[axis] == grid.points; ++axis) place[axis] = 0;
  }
  return moments;
}

TEST(BreadthReference, ShapesInFewDimensionsHaveTheMomentsOfAGrid) {
  const Vector wide = Vector::Constant(3, 8);
  const Grid grids[] = {{"banana-2", Vector{{-6, -3}}, Vector{{6, 33}}, 1000},
                        {"half-normal-2", Vector{{0, 0}}, Vector{{8, 16}}, 500},
                        {"two-modes-2", Vector{{-6, -6}}, Vector{{11, 11}}, 500},
                        {"shell-3", -wide, wide, 100},
                        {"cliff-3", -wide, wide, 100},
                        {"half-impossible-3", Vector{{0, -7, -7}}, wide, 100}};
  for (const Grid& grid : grids) expect_moments(breadth_reference(grid.posterior), on_grid(grid), 0.002);
}

// Self-normalised, from normals 1.5 times as wide as the posterior.
TEST(BreadthReference, MixturesOfTwelveHaveTheMomentsOfImportanceSamples) {
  for (const char* name : {"mixture-of-12-4", "mixture-of-12-10", "two-modes-5"}) {
    const BreadthPosterior& posterior = breadth_posterior(name);
    const BreadthReference& reference = breadth_reference(name);
    const Vector mean = as_vector(reference.mean), sd = as_vector(reference.sd);
    Moments moments(mean.size(), posterior.log_posterior(posterior.middle));
    Rng rng({7, 0, 0, Purpose::test});
    for (int i = 0; i < 300000; ++i) {
      const Vector z = rng.normal(mean.size());
      const Vector theta = mean + 1.5 * sd.cwiseProduct(z);
      moments.add(theta, posterior.log_posterior(theta) + 0.5 * z.squaredNorm());
    }
    EXPECT_GT(moments.effective(), 3000) << name;
    expect_moments(reference, moments, 4 / std::sqrt(moments.effective()));
  }
}

// Coordinates are independent: a line through the middle has the marginal's moments.
TEST(BreadthReference, StudentTHasTheMomentsOfALine) {
  for (const char* name : {"student-t-4", "student-t-8"}) {
    const BreadthPosterior& posterior = breadth_posterior(name);
    const BreadthReference& reference = breadth_reference(name);
    Vector theta = posterior.middle;
    Moments moments(1, posterior.log_posterior(theta));
    for (int i = -40000; i <= 40000; ++i) {
      theta[0] = 0.01 * i;
      moments.add(theta.head(1), posterior.log_posterior(theta));
    }
    EXPECT_NEAR(moments.mean()[0], reference.mean[0], 1e-4);
    EXPECT_NEAR(moments.sd()[0], reference.sd[0], 1e-4);
  }
}

// v is drawn from its prior, and x given v from the likelihood; what is left is the prior of x.
TEST(BreadthReference, FunnelsHaveTheMomentsOfDrawsFromTheLikelihood) {
  for (const char* name : {"funnel-2", "funnel-10"}) {
    const BreadthPosterior& posterior = breadth_posterior(name);
    const BreadthReference& reference = breadth_reference(name);
    const Index d = posterior.parameters.dimension();
    Moments moments(1, 0);
    Rng rng({8, 0, 0, Purpose::test});
    for (int i = 0; i < 100000; ++i) {
      Vector theta(d);
      theta[0] = 3 * rng.normal();
      theta.tail(d - 1) = std::exp(0.5 * theta[0]) * rng.normal(d - 1);
      const double drawn_from = -0.5 * (theta[0] * theta[0] / 9 + static_cast<double>(d - 1) * theta[0] +
                                        std::exp(-theta[0]) * theta.tail(d - 1).squaredNorm());
      const Vector zero = Vector::Zero(d);
      moments.add(theta.head(1), posterior.log_posterior(theta) - posterior.log_posterior(zero) - drawn_from);
    }
    EXPECT_NEAR(moments.mean()[0], reference.mean[0], 0.04) << name;
    EXPECT_NEAR(moments.sd()[0], reference.sd[0], 0.03) << name;
  }
}

// A normal's log density falls by half the inverse of its conditional variance, and its top is at the mean.
TEST(BreadthReference, NormalsAreHighestAtTheirMeans) {
  for (const char* name : {"cigar-6", "ridge-10", "wide-prior-5"}) {
    const BreadthPosterior& posterior = breadth_posterior(name);
    const BreadthReference& reference = breadth_reference(name);
    const Vector mean = as_vector(reference.mean);
    for (Index i = 0; i < mean.size(); ++i) {
      const Vector step = 0.1 * reference.sd[static_cast<std::size_t>(i)] * Vector::Unit(mean.size(), i);
      const double up = posterior.log_posterior(mean + step), down = posterior.log_posterior(mean - step);
      const double fall = posterior.log_posterior(mean) - 0.5 * (up + down);
      EXPECT_GT(fall, 0.0049) << name;  // half of 0.1^2, and more where the others are fixed
      EXPECT_LT(std::abs(up - down), 0.01 * fall) << name;
    }
  }
}

TEST(BreadthReference, MorePairsAndMoreBoundsHaveTheSameMargins) {
  const BreadthReference& pair = breadth_reference("banana-2");
  for (const char* name : {"banana-6", "banana-10"}) {
    const BreadthReference& more = breadth_reference(name);
    for (std::size_t i = 0; i < more.mean.size(); ++i) {
      EXPECT_DOUBLE_EQ(more.mean[i], pair.mean[i % 2]);
      EXPECT_DOUBLE_EQ(more.sd[i], pair.sd[i % 2]);
    }
  }
  EXPECT_DOUBLE_EQ(breadth_reference("half-normal-6").sd[1], breadth_reference("half-normal-2").sd[1]);
}

}  // namespace
}  // namespace hunch
