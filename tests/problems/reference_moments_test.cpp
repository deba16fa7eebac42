// The stored moments against quadrature of the densities themselves, as the samplers see them. The trapezoid
// rule converges exponentially for smooth densities that vanish at the ends of the grid.
#include "hunch/problems/reference_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/problems/normal_density.hpp"
#include "hunch/problems/prior_start.hpp"
#include "hunch/problems/problem.hpp"

namespace hunch {
namespace {

double log_posterior(const Problem& problem, const Vector& position) {
  return problem.parameters.log_prior(position) +
         problem.evaluate(problem.parameters.theta(position), Want::value).log_likelihood;
}

struct Sums {
  double mass = 0, first = 0, second = 0;
  void add(double weight, double x) {
    mass += weight;
    first += weight * x;
    second += weight * x * x;
  }
  double mean() const { return first / mass; }
  double sd() const { return std::sqrt(second / mass - mean() * mean()); }
};

void expect_moments(const std::string& name, Index parameter, const Sums& sums, double tolerance) {
  const ReferenceMoments reference = reference_moments(name).value();
  EXPECT_NEAR(reference.mean[parameter], sums.mean(), tolerance * sums.sd()) << name << parameter;
  EXPECT_NEAR(reference.sd[parameter], sums.sd(), tolerance * sums.sd()) << name << parameter;
}

// Moments of two coordinates with all others as in `base`, on a grid of step h.
struct Window {
  double left, right, bottom, top, h;
};
std::array<Sums, 2> plane(const Problem& problem, const Vector& base, const Window& window) {
  std::array<Sums, 2> sums;
  const double peak = log_posterior(problem, base);
  Vector position = base;
  for (double x = window.left; x <= window.right; x += window.h) {
    for (double y = window.bottom; y <= window.top; y += window.h) {
      position.head(2) << x, y;
      const double weight = std::exp(log_posterior(problem, position) - peak);
      sums[0].add(weight, x);
      sums[1].add(weight, y);
    }
  }
  return sums;
}

void expect_plane(const std::string& name, const Window& window, double tolerance) {
  const Problem problem = make_problem(name);
  const auto sums = plane(problem, problem.parameters.position(problem.truth), window);
  expect_moments(name, 0, sums[0], tolerance);
  expect_moments(name, 1, sums[1], tolerance);
}

TEST(ReferenceMoments, EveryProblemHasThemForEachParameter) {
  for (const std::string& name : problem_names()) {
    const Index d = make_problem(name, {.t3_points = 10}).parameters.dimension();
    const auto reference = reference_moments(name);
    ASSERT_TRUE(reference) << name;
    EXPECT_EQ(reference->mean.size(), d);
    ASSERT_EQ(reference->sd.size(), d);
    EXPECT_GT(reference->sd.minCoeff(), 0);
  }
  EXPECT_FALSE(reference_moments("T6"));
}

TEST(ReferenceMoments, OfTwoDimensionalProblemsAgreeWithQuadrature) {
  expect_plane("T1", {-6, 6, -8, 45, 0.05}, 1e-8);
  expect_plane("bimodal", {-8, 10, -10, 9, 0.05}, 1e-8);
  expect_plane("spike", {-7, 7, -7, 7, 0.008}, 1e-6);
  expect_plane("rough", {-7, 7, -7, 7, 0.02}, 1e-8);
  // The edge, at 0.5, lies midway between two lines of the grid: the error is of order h^2.
  expect_plane("cliff", {-7.005, 7, -7, 7, 0.01}, 1e-4);
}

TEST(ReferenceMoments, OfNormalsAreWhereTheGradientVanishesWithTheCurvaturesInverse) {
  for (const auto& [name, density] : {std::pair{"ar1-10", ar1_density()}, {"normal-20", rotated_density()}}) {
    const Problem problem = make_problem(name);
    const ReferenceMoments reference = reference_moments(name).value();
    const Index d = reference.mean.size();
    const Vector gradient = *problem.evaluate(reference.mean, Want::value_and_gradient).gradient +
                            problem.parameters.log_prior_gradient(reference.mean);
    EXPECT_LT(gradient.norm(), 1e-7) << name;
    const Matrix covariance = (density.precision + 0.01 * Matrix::Identity(d, d)).inverse();
    EXPECT_LT((reference.sd - covariance.diagonal().cwiseSqrt()).norm(), 1e-8) << name;
  }
}

TEST(ReferenceMoments, OfRosenbrockAgreeWithQuadratureOfOnePairAndAllPairsAreAlike) {
  expect_plane("rosenbrock-20", {-9, 9, -3, 84, 0.04}, 1e-7);
  const ReferenceMoments reference = reference_moments("rosenbrock-20").value();
  for (Index i = 2; i < 20; ++i) {
    EXPECT_EQ(reference.mean[i], reference.mean[i - 2]);
    EXPECT_EQ(reference.sd[i], reference.sd[i - 2]);
  }
}

// Given v the four x are alike and independent: with the other three at zero, one integral over x gives all.
TEST(ReferenceMoments, OfTheFunnelAgreeWithNestedQuadrature) {
  const Problem problem = make_problem("funnel");
  Sums v_sums, x_sums;
  for (double v = -24; v <= 24; v += 0.1) {
    Vector position = Vector::Zero(5);
    position[0] = v;
    const double at_zero = log_posterior(problem, position);
    const double log_one_at_zero = (at_zero + v * v / 18) / 4;
    const double width = 1 / std::sqrt(std::exp(-v) + 1.0 / 900);
    Sums inner;
    for (double u = -8; u <= 8; u += 0.1) {
      position[1] = width * u;
      inner.add(width * std::exp(log_posterior(problem, position) - at_zero), position[1]);
    }
    const double weight = std::exp(-v * v / 18 + 4 * (log_one_at_zero + std::log(inner.mass)));
    v_sums.add(weight, v);
    x_sums.mass += weight;
    x_sums.second += weight * inner.sd() * inner.sd();
  }
  expect_moments("funnel", 0, v_sums, 1e-6);
  for (Index i = 1; i < 5; ++i) expect_moments("funnel", i, x_sums, 1e-6);
}

// Given mu and tau the eta are independent: with the others at zero, one integral over each gives all.
TEST(ReferenceMoments, OfEightSchoolsAgreeWithNestedQuadrature) {
  const Problem problem = make_problem("eight-schools");
  std::array<Sums, 10> sums;
  for (double mu = -16; mu <= 24; mu += 1) {
    for (double log_tau = -11; log_tau <= 7; log_tau += 0.25) {
      Vector position = Vector::Zero(10);
      position.head(2) << mu, log_tau;
      const double at_zero = log_posterior(problem, position);
      std::array<Sums, 8> inner;
      double log_weight = at_zero;
      for (Index j = 0; j < 8; ++j) {
        // Around the middle of eta's own density, which narrows as tau grows.
        const double tau = std::exp(log_tau);
        const double error = std::array<double, 8>{15, 10, 16, 11, 9, 11, 10, 18}[j];
        const double effect = std::array<double, 8>{28, 8, -3, 7, -1, 1, 18, 12}[j];
        const double width = error / std::hypot(error, tau);
        const double middle = tau * (effect - mu) / (error * error + tau * tau);
        for (double u = -6; u <= 6; u += 0.5) {
          position[2 + j] = middle + width * u;
          inner[j].add(width * std::exp(log_posterior(problem, position) - at_zero), position[2 + j]);
        }
        position[2 + j] = 0;
        log_weight += std::log(inner[j].mass);
      }
      const double weight = std::exp(log_weight);
      sums[0].add(weight, mu);
      sums[1].add(weight, std::exp(log_tau));
      for (Index j = 0; j < 8; ++j) {
        sums[2 + j].mass += weight;
        sums[2 + j].first += weight * inner[j].mean();
        sums[2 + j].second += weight * inner[j].second / inner[j].mass;
      }
    }
  }
  // The density of log tau falls like tau to the left: what lies below -11 weighs about 1e-5.
  for (Index i = 0; i < 10; ++i) expect_moments("eight-schools", i, sums[i], 1e-4);
}

TEST(PriorStart, HasThePriorsQuantilesAndFillsTheSquareWhereThereIsNoPrior) {
  const Problem sir = make_problem("T4");
  int below = 0;
  const int count = 4000;
  for (int k = 0; k < count; ++k) {
    Rng rng(Address{9, 0, static_cast<std::uint64_t>(k), Purpose::start});
    below += sir.parameters.theta(prior_start(sir.parameters, rng))[1] < 2 ? 1 : 0;  // gamma's prior median
  }
  EXPECT_NEAR(below, count / 2, 4 * std::sqrt(count / 4.0));  // fails for one seed in 16,000
  const Problem banana = make_problem("T1");
  Vector low = Vector::Zero(2), high = Vector::Zero(2);
  for (int k = 0; k < 400; ++k) {
    Rng rng(Address{9, 0, static_cast<std::uint64_t>(k), Purpose::start});
    const Vector position = prior_start(banana.parameters, rng);
    low = low.cwiseMin(position);
    high = high.cwiseMax(position);
  }
  EXPECT_GT(low.minCoeff(), -2);
  EXPECT_LT(low.maxCoeff(), -1.9);
  EXPECT_LT(high.maxCoeff(), 2);
  EXPECT_GT(high.minCoeff(), 1.9);
}

}  // namespace
}  // namespace hunch
