#include "hunch/surrogate/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/surrogate/gaussian_process.hpp"

namespace hunch {
namespace {

constexpr Index d = 2;

// Gradients are those of the first `sloped` points.
Data bent_data(Index n, Index sloped) {
  Rng rng({41, 0, 0, Purpose::test});
  Data data{Matrix(d, n), Vector(n), Matrix(d, sloped), Vector(n), 1e-3};
  for (Index i = 0; i < n; ++i) {
    data.points.col(i) = 1.5 * rng.normal(d);
    const Vector z = data.points.col(i);
    data.values[i] = -4 - 0.8 * z.squaredNorm() + 0.5 * z[0] * z[1] + 0.6 * std::sin(1.5 * z[0]);
    data.noise_variances[i] = 1e-3 * (1 + z.squaredNorm());
    if (i >= sloped) continue;
    data.gradients(0, i) = -1.6 * z[0] + 0.5 * z[1] + 0.9 * std::cos(1.5 * z[0]);
    data.gradients(1, i) = -1.6 * z[1] + 0.5 * z[0];
  }
  return data;
}

// The same data without one point.
Data without(const Data& data, Index out) {
  std::vector<Index> rest;
  for (Index i = 0; i < data.values.size(); ++i)
    if (i != out) rest.push_back(i);
  return subset(data, rest);
}

constexpr CovarianceFamily smooth = CovarianceFamily::squared_exponential;
constexpr CovarianceFamily rough = CovarianceFamily::matern52;

Covariance covariance_of(CovarianceFamily family, bool tilted = false) {
  Covariance c{.family = family,
               .signal_variance = 0.4,
               .lengthscales = Vector{{0.9, 2.1}},
               .constant = 30,
               .bowl = 12,
               .quadratic = 0.7};
  if (!tilted) return c;
  c.axis = Vector{{0.3, -0.2}};
  c.tilted = {0.6, 0.2};
  return c;
}

MarginalLikelihood likelihood_of(const Covariance& c, const Data& data) {
  return marginal_likelihood(c, data, TrendTerms(c, data));
}

// The log posterior that a fit climbs, and its gradient.
MarginalLikelihood log_posterior(const Covariance& c, const Data& data) {
  MarginalLikelihood result = likelihood_of(c, data);
  const HyperPriors priors = trend_priors(d, c.is_tilted());
  Vector logs(priors.medians.size());
  logs.head(d + 2) << c.lengthscales.array().log().matrix(), std::log(c.signal_variance),
      std::log(c.quadratic);
  if (c.is_tilted()) logs.tail(3) << std::log(c.axis.norm()), std::log(c.tilted[0]), std::log(c.tilted[1]);
  const Vector away = (logs - priors.medians).cwiseQuotient(priors.deviations);
  result.value -= 0.5 * away.squaredNorm();
  result.gradient -= away.cwiseQuotient(priors.deviations);
  return result;
}

FitResult fit_to(const std::vector<Covariance>& starts, const Data& data, int most_iterations) {
  return fit(starts, trend_priors(d, starts.front().is_tilted()), data, {most_iterations, 1e-9, 0});
}

// exp(step) times hyperparameter j, in the order of the gradient.
Covariance nudged(Covariance c, Index j, double step) {
  if (j == d + 2) {
    c.axis *= std::exp(step);
    return c;
  }
  double& one = j < d        ? c.lengthscales[j]
                : j == d     ? c.signal_variance
                : j == d + 1 ? c.quadratic
                             : c.tilted[static_cast<std::size_t>(j - d - 3)];
  one *= std::exp(step);
  return c;
}

struct Case {
  CovarianceFamily family;
  Index sloped;
  bool tilted = false;
};

class FitOf : public testing::TestWithParam<Case> {
 protected:
  Data data = bent_data(15, GetParam().sloped);
  Covariance covariance = covariance_of(GetParam().family, GetParam().tilted);
};
INSTANTIATE_TEST_SUITE_P(Texture, FitOf,
                         testing::Values(Case{smooth, 0}, Case{rough, 0}, Case{smooth, 6}, Case{rough, 6},
                                         Case{rough, 15}, Case{smooth, 0, true}, Case{smooth, 6, true}),
                         [](const auto& one) {
                           return std::string(one.param.family == smooth ? "smooth" : "rough") +
                                  (one.param.tilted ? "TiltedWith" : "With") +
                                  std::to_string(one.param.sloped) + "Gradients";
                         });

TEST_P(FitOf, GradientIsThatOfTheLikelihood) {
  const MarginalLikelihood here = likelihood_of(covariance, data);
  EXPECT_EQ(here.value, log_marginal_likelihood(covariance, data, TrendTerms(covariance, data)));
  ASSERT_EQ(here.gradient.size(), d + (covariance.is_tilted() ? 5 : 2));
  constexpr double h = 1e-3;
  for (Index j = 0; j < here.gradient.size(); ++j) {
    const auto at = [&](double step) { return likelihood_of(nudged(covariance, j, step), data).value; };
    const double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_NEAR(here.gradient[j], difference, 1e-7 * (1 + std::abs(difference))) << "hyperparameter " << j;
  }
}

TEST_P(FitOf, ValueIsTheLogDensityOfTheNumbers) {
  Matrix k = covariance_matrix(covariance, Sites(covariance, data.points, data.sloped()));
  k.diagonal() += data.noise();
  const auto lu = k.fullPivLu();
  const double n = static_cast<double>(k.rows());
  const double density =
      -0.5 * (data.numbers().dot(lu.solve(data.numbers())) + std::log(lu.determinant()) + n * log_two_pi);
  EXPECT_NEAR(likelihood_of(covariance, data).value, density, 1e-8 * (1 + std::abs(density)));
}

TEST_P(FitOf, LeaveOneOutScoreIsThatOfLeavingEachPointOut) {
  double sum = 0;
  const Index n = data.values.size();
  for (Index out = 0; out < n; ++out) {
    const auto process = GaussianProcess::condition(covariance, without(data, out), 0, with_noise);
    const Matrix z = data.points.col(out);
    const double variance = process.variances(z)[0] + data.noise_variances[out];
    const double miss = data.values[out] - process.mean_function().values(z)[0];
    sum += -0.5 * (log_two_pi + std::log(variance) + miss * miss / variance);
  }
  EXPECT_NEAR(leave_one_out_score(covariance, data), sum / static_cast<double>(n), 1e-7);
}

TEST_P(FitOf, IsDeterministicAndBetterThanItsStarts) {
  Covariance other = covariance;
  other.lengthscales.setConstant(4);
  other.signal_variance = 3;
  const std::vector<Covariance> starts{covariance, other};
  const FitResult found = fit_to(starts, data, 60);
  const FitResult again = fit_to(starts, data, 60);
  EXPECT_EQ(found.log_posterior, again.log_posterior);
  EXPECT_EQ(found.covariance.lengthscales, again.covariance.lengthscales);
  EXPECT_EQ(found.covariance.signal_variance, again.covariance.signal_variance);
  for (const Covariance& start : starts)
    EXPECT_GT(found.log_posterior, log_posterior(start, data).value + 0.1);
  const MarginalLikelihood end = log_posterior(found.covariance, data);
  EXPECT_NEAR(end.value, found.log_posterior, 1e-9 * std::abs(end.value));
  // A lengthscale may end at its bound.
  for (Index j = 0; j < d + 2; ++j) {
    const bool highest = j < d && found.covariance.lengthscales[j] > 29.99;
    EXPECT_LT(highest ? -end.gradient[j] : std::abs(end.gradient[j]), 0.1) << "hyperparameter " << j;
  }
}

TEST_P(FitOf, WhatIsNotFittedStays) {
  const FitResult found = fit_to({covariance}, data, 10);
  EXPECT_EQ(found.covariance.family, covariance.family);
  EXPECT_EQ(found.covariance.constant, covariance.constant);
  EXPECT_EQ(found.covariance.bowl, covariance.bowl);
}

TEST_P(FitOf, EndsTheSameFromPointsInAnotherOrder) {
  const Index n = data.values.size();
  const Index m = data.sloped();
  Data turned = data;  // those with gradients stay the first
  turned.gradients = data.gradients.rowwise().reverse();
  for (Index i = 0; i < n; ++i) {
    const Index from = i < m ? m - 1 - i : n - 1 - (i - m);
    turned.points.col(i) = data.points.col(from);
    turned.values[i] = data.values[from];
    turned.noise_variances[i] = data.noise_variances[from];
  }
  EXPECT_NEAR(likelihood_of(covariance, data).value, likelihood_of(covariance, turned).value, 1e-8);
}

// Else they would be paid for and not listened to.
TEST(Fit, GradientsSayWhatFewValuesCannot) {
  const Covariance start = covariance_of(smooth);
  const Data truth = bent_data(60, 60);
  const Data few = bent_data(8, 0);
  const Data sloped = bent_data(8, 8);
  const auto score = [&](const Data& from) {
    return log_posterior(fit_to({start}, from, 60).covariance, truth).value;
  };
  EXPECT_GT(score(sloped), score(few) + 1);
}

TEST(Fit, MatrixThatIsNotDefiniteIsRefusedAndNotPassedOff) {
  for (const Index sloped : {0, 4}) {
    Data data = bent_data(4, sloped);
    data.noise_variances.setConstant(-1e6);
    const MarginalLikelihood here = likelihood_of(covariance_of(smooth), data);
    EXPECT_EQ(here.value, -infinity);
    EXPECT_EQ(here.gradient, Vector::Zero(d + 2));
    EXPECT_EQ(leave_one_out_score(covariance_of(smooth), data), -infinity);
  }
}

}  // namespace
}  // namespace hunch
