#include "hunch/explore/acquisition.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hunch/core/rng.hpp"
#include "hunch/surrogate/covariance.hpp"

namespace hunch {
namespace {

// Equal weights would hide weights that are forgotten.
Cloud cloud_of(Index n, double variance) {
  Rng rng({51, 0, 0, Purpose::test});
  Cloud cloud{Matrix(2, n), {}, Vector(n), Matrix(n, n)};
  for (Index i = 0; i < n; ++i) {
    cloud.positions.col(i) = Vector{{2 * rng.normal(), 0.5 * rng.normal()}};
    cloud.weights[i] = 0.2 + rng.uniform();
  }
  cloud.weights /= cloud.weights.sum();
  cloud.quantities = cloud.positions;
  const Covariance stationary{.signal_variance = variance, .lengthscales = Vector{{1.5, 0.5}}};
  // The surrogate has seen two values, and is unsure elsewhere.
  Matrix all(2, n + 2);
  all << cloud.positions, Vector{{0.0, 0.0}}, Vector{{2.0, 0.5}};
  const Matrix k = covariance_matrix(stationary, Sites(stationary, all, 0));
  cloud.covariance = k.topLeftCorner(n, n) -
                     k.topRightCorner(n, 2) * k.bottomRightCorner(2, 2).inverse() * k.bottomLeftCorner(2, n);
  return cloud;
}

struct MeansAndLogSds {
  Vector means;
  Vector log_sds;
};

MeansAndLogSds moments_under(const Cloud& cloud, const Vector& weights) {
  const Vector w = weights / weights.sum();
  const Vector mean = cloud.positions * w;
  const Vector variance = (cloud.positions.colwise() - mean).cwiseAbs2() * w;
  return {mean, 0.5 * variance.array().log()};
}

// The rms change of each mean, in sds, and of each log sd when the log-likelihood is off by a path that the
// surrogate deems possible.
Vector rms_change_over_paths(const Cloud& cloud, double calibration, int paths) {
  const Index n = cloud.weights.size();
  const Matrix factor =
      Matrix(cloud.covariance + 1e-12 * Matrix::Identity(n, n)).llt().matrixL() * Matrix::Identity(n, n);
  const MeansAndLogSds plain = moments_under(cloud, cloud.weights);
  Vector squares = Vector::Zero(4);
  for (int path = 0; path < paths; ++path) {
    Rng rng({52, 0, static_cast<std::uint64_t>(path), Purpose::test});
    const Vector error = calibration * (factor * rng.normal(n));
    const MeansAndLogSds moved = moments_under(cloud, (cloud.weights.array() * error.array().exp()).matrix());
    squares.head(2) +=
        (moved.means - plain.means).cwiseQuotient(plain.log_sds.array().exp().matrix()).cwiseAbs2();
    squares.tail(2) += (moved.log_sds - plain.log_sds).cwiseAbs2();
  }
  return (squares / paths).cwiseSqrt();
}

// The bound is twice the sd to first order; what is left out is of the order of the variance, 1e-4. An rms of
// 20000 paths has a relative error of 1/200: 4% off is eight of these, for one of four numbers with
// probability below 1e-14.
TEST(Acquisition, ErrorBoundsAreThoseOfSamplePathsToFirstOrder) {
  const Cloud cloud = cloud_of(40, 1e-4);
  const Vector bounds = moment_error_bounds(cloud, 1.5);
  const Vector rms = rms_change_over_paths(cloud, 1.5, 20000);
  for (Index j = 0; j < 4; ++j) EXPECT_NEAR(bounds[j] / (2 * rms[j]), 1, 0.04) << "moment " << j;
}

// Errors that are large in one half of the cloud: marginalising them moves the mean, and the first-order part
// is that of the moved weights, here by differences.
TEST(Acquisition, ErrorBoundsAddTheShiftOfMarginalising) {
  Cloud cloud = cloud_of(40, 1e-4);
  constexpr double calibration = 1.5;
  for (Index i = 0; i < 40; ++i)
    if (cloud.positions(0, i) > 1) cloud.covariance(i, i) += 0.6;
  const Eigen::ArrayXd half_variance = 0.5 * calibration * calibration * cloud.covariance.diagonal().array();
  const Vector tilted = (cloud.weights.array() * half_variance.exp()).matrix();
  const MeansAndLogSds plain = moments_under(cloud, cloud.weights), moved = moments_under(cloud, tilted);
  for (Index j = 0; j < 2; ++j) {
    Vector influence(40);
    for (Index i = 0; i < 40; ++i) {
      Vector up = tilted, down = tilted;
      up[i] *= std::exp(1e-4);
      down[i] *= std::exp(-1e-4);
      influence[i] = (moments_under(cloud, up).means[j] - moments_under(cloud, down).means[j]) / 2e-4;
    }
    const double first_order = 2 * calibration * std::sqrt(influence.dot(cloud.covariance * influence));
    const double shift = std::abs(moved.means[j] - plain.means[j]);
    EXPECT_NEAR(moment_error_bounds(cloud, calibration)[j],
                (first_order + shift) / std::exp(plain.log_sds[j]), 1e-6);
    EXPECT_GT(shift, 1e-3 * std::exp(plain.log_sds[j]));
  }
}

TEST(Acquisition, NoUncertaintyNoError) {
  Cloud cloud = cloud_of(20, 1);
  cloud.covariance.setZero();
  EXPECT_EQ(moment_error_bounds(cloud, 3), Vector::Zero(4));
  EXPECT_EQ(deviation_where_it_counts(cloud, cloud.covariance.diagonal()), 0);
}

// An error that is the same everywhere moves no moment.
TEST(Acquisition, CommonErrorMovesNothing) {
  Cloud cloud = cloud_of(20, 1);
  cloud.covariance.setConstant(0.3);
  EXPECT_LT(moment_error_bounds(cloud, 1).maxCoeff(), 1e-7);
  EXPECT_NEAR(deviation_where_it_counts(cloud, cloud.covariance.diagonal()), std::sqrt(0.3), 1e-12);
}

// The moments wanted are of the quantities, which need not be the positions.
TEST(Acquisition, ErrorBoundsAreOfTheQuantities) {
  Cloud cloud = cloud_of(40, 1e-2);
  Cloud swapped = cloud;
  swapped.quantities = cloud.positions.colwise().reverse();
  const Vector bounds = moment_error_bounds(cloud, 1), other = moment_error_bounds(swapped, 1);
  EXPECT_EQ(other, (Vector{{bounds[1], bounds[0], bounds[3], bounds[2]}}));
  EXPECT_GT(std::abs(bounds[0] - bounds[1]), 1e-6);
}

// By the definition: the cloud's weights, and these times the squares of what each mean and each log sd
// averages, each summing to one.
std::vector<Vector> influences_of(const Cloud& cloud) {
  std::vector<Vector> result = {cloud.weights};
  for (Index j = 0; j < cloud.quantities.rows(); ++j) {
    const Vector values = cloud.quantities.row(j).transpose();
    const double mean = cloud.weights.dot(values);
    const double variance = cloud.weights.dot((values.array() - mean).square().matrix());
    const Eigen::ArrayXd squares = (values.array() - mean).square() / variance;
    result.emplace_back(cloud.weights.array() * squares);
    result.emplace_back(cloud.weights.array() * (squares - 1).square());
  }
  for (Vector& one : result) one /= one.sum();
  return result;
}

// A tail that is a hundredth of the draws decides an sd.
TEST(Acquisition, DeviationCountsWhereAMeanOrAnSdIsDecided) {
  const Cloud cloud = cloud_of(40, 0.5);
  const Vector variances = cloud.covariance.diagonal();
  double largest = 0;
  for (const Vector& influence : influences_of(cloud)) largest = std::max(largest, influence.dot(variances));
  EXPECT_NEAR(deviation_where_it_counts(cloud, variances), std::sqrt(largest), 1e-12);
  Index outermost;
  (cloud.quantities.row(0).array() - cloud.quantities.row(0).dot(cloud.weights)).abs().maxCoeff(&outermost);
  const Vector only_there = Vector::Unit(40, outermost);
  EXPECT_GT(deviation_where_it_counts(cloud, only_there), 1.5 * std::sqrt(cloud.weights[outermost]));
}

// The covariance that is left once the values at `where` are known with noise.
Matrix covariance_left(const Cloud& cloud, const std::vector<Index>& where, double noise) {
  const Matrix cross = cloud.covariance(Eigen::all, where);
  Matrix seen = cloud.covariance(where, where);
  seen.diagonal().array() += noise;
  return cloud.covariance - cross * seen.fullPivLu().solve(cross.transpose());
}

// Whether each of those chosen leaves the least `cost`, a function of all that are evaluated by then.
template <class Cost>
void expect_each_best(const std::vector<Index>& chosen, Index candidates, const Cost& cost) {
  std::vector<Index> where;
  for (const Index choice : chosen) {
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index candidate = 0; candidate < candidates; ++candidate) {
      where.push_back(candidate);
      const double left = cost(where);
      where.pop_back();
      if (left < least) {
        least = left;
        best = candidate;
      }
    }
    EXPECT_EQ(choice, best) << "choice " << where.size();
    where.push_back(choice);
  }
}

Vector choice_weights(const Cloud& cloud) {
  Vector weights = Vector::Zero(cloud.weights.size());
  for (const Vector& influence : influences_of(cloud)) weights += influence;
  return (weights.array() * cloud.covariance.diagonal().array().sqrt().min(3.0).exp()).matrix();
}

TEST(Acquisition, EachChoiceLeavesTheLeastVarianceWhereItCounts) {
  const Cloud cloud = cloud_of(30, 0.8);
  constexpr double noise = 0.05;
  const Choice choice = choose_evaluations(cloud, Wanted::draws, 4, noise);
  ASSERT_EQ(choice.positions.size(), 4u);
  const Vector weights = choice_weights(cloud);
  expect_each_best(choice.positions, 30, [&](const std::vector<Index>& where) {
    return weights.dot(covariance_left(cloud, where, noise).diagonal());
  });
  const Vector left = covariance_left(cloud, choice.positions, noise).diagonal();
  EXPECT_LT((choice.variances - left).cwiseAbs().maxCoeff(), 1e-12);
}

// The variance of all means (in sds) and log sds together, to first order, by the definition.
double variance_of_moments(const Cloud& cloud, const Matrix& covariance) {
  double sum = 0;
  for (Index j = 0; j < cloud.quantities.rows(); ++j) {
    const Vector values = cloud.quantities.row(j).transpose();
    const double mean = cloud.weights.dot(values);
    const double sd = std::sqrt(cloud.weights.dot((values.array() - mean).square().matrix()));
    const Vector z = (values.array() - mean) / sd;
    const Vector of_mean = cloud.weights.cwiseProduct(z);
    const Vector of_log_sd = cloud.weights.cwiseProduct((0.5 * (z.array().square() - 1)).matrix());
    sum += of_mean.dot(covariance * of_mean) + of_log_sd.dot(covariance * of_log_sd);
  }
  return sum;
}

TEST(Acquisition, EachChoiceForMomentsLeavesTheLeastOfBothShares) {
  const Cloud cloud = cloud_of(30, 0.8);
  constexpr double noise = 0.05;
  const Choice choice = choose_evaluations(cloud, Wanted::moments, 4, noise);
  ASSERT_EQ(choice.positions.size(), 4u);
  const Vector weights = choice_weights(cloud);
  expect_each_best(choice.positions, 30, [&](const std::vector<Index>& where) {
    const Matrix before = covariance_left(cloud, {where.begin(), where.end() - 1}, noise);
    const Matrix after = covariance_left(cloud, where, noise);
    return weights.dot(after.diagonal()) / weights.dot(cloud.covariance.diagonal()) +
           variance_of_moments(cloud, after) / variance_of_moments(cloud, before);
  });
  EXPECT_NE(choice.positions, choose_evaluations(cloud, Wanted::draws, 4, noise).positions);
}

}  // namespace
}  // namespace hunch
