#include "hunch/surrogate/trend_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

constexpr Index d = 2;

struct Data {
  Matrix points;
  Vector values;
  Vector noise;
};

Data bent_data(Index n) {
  Rng rng({41, 0, 0, Purpose::test});
  Data data{Matrix(d, n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    data.points.col(i) = 1.5 * rng.normal(d);
    const Vector z = data.points.col(i);
    data.values[i] = -4 - 0.8 * z.squaredNorm() + 0.5 * z[0] * z[1] + 0.6 * std::sin(1.5 * z[0]);
    data.noise[i] = 1e-3 * (1 + z.squaredNorm());
  }
  return data;
}

TrendCovariance covariance_of(Texture texture) {
  return {.lengthscales = Vector{{0.9, 2.1}},
          .signal = 0.4,
          .rough = texture == Texture::rough ? 0.05 : 0,
          .quadratic = 0.7,
          .constant = 30,
          .bowl = 12};
}

// exp(step) times hyperparameter j, in the order of the gradient.
TrendCovariance nudged(TrendCovariance c, Index j, double step) {
  double& one = j < d ? c.lengthscales[j] : j == d ? c.signal : j == d + 1 ? c.quadratic : c.rough;
  one *= std::exp(step);
  return c;
}

class TrendFitOf : public testing::TestWithParam<Texture> {
 protected:
  Data data = bent_data(15);
  TrendCovariance covariance = covariance_of(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Texture, TrendFitOf, testing::Values(Texture::smooth, Texture::rough),
                         [](const auto& one) { return one.param == Texture::smooth ? "smooth" : "rough"; });

TEST_P(TrendFitOf, GradientIsThatOfTheLikelihood) {
  const TrendLikelihood here = trend_likelihood(covariance, data.points, data.values, data.noise);
  ASSERT_EQ(here.gradient.size(), GetParam() == Texture::rough ? d + 3 : d + 2);
  constexpr double h = 1e-3;
  for (Index j = 0; j < here.gradient.size(); ++j) {
    const auto at = [&](double step) {
      return trend_likelihood(nudged(covariance, j, step), data.points, data.values, data.noise).value;
    };
    const double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_NEAR(here.gradient[j], difference, 1e-7 * (1 + std::abs(difference))) << "hyperparameter " << j;
  }
}

// What is added to the likelihood depends on hyperparameters alone: between two data sets it cancels.
TEST_P(TrendFitOf, ValueIsTheLogDensityOfTheValues) {
  const auto log_density = [&](const Vector& values) {
    Matrix k = trend_covariance_matrix(covariance, data.points);
    k.diagonal() += data.noise;
    return -0.5 * values.dot(k.fullPivLu().solve(values));
  };
  const Vector others = data.values.array().sin();
  const double likelihoods = trend_likelihood(covariance, data.points, data.values, data.noise).value -
                             trend_likelihood(covariance, data.points, others, data.noise).value;
  EXPECT_NEAR(likelihoods, log_density(data.values) - log_density(others), 1e-8);
}

TEST_P(TrendFitOf, LeaveOneOutScoreIsThatOfLeavingEachOut) {
  double sum = 0;
  const Index n = data.values.size();
  for (Index out = 0; out < n; ++out) {
    Data rest{Matrix(d, n - 1), Vector(n - 1), Vector(n - 1)};
    for (Index i = 0, k = 0; i < n; ++i) {
      if (i == out) continue;
      rest.points.col(k) = data.points.col(i);
      rest.values[k] = data.values[i];
      rest.noise[k++] = data.noise[i];
    }
    const TrendProcess process(covariance, rest.points, rest.values, rest.noise);
    const Matrix z = data.points.col(out);
    const double variance = process.variances(z)[0] + data.noise[out];
    const double miss = data.values[out] - process.means(z)[0];
    sum += -0.5 * (log_two_pi + std::log(variance) + miss * miss / variance);
  }
  EXPECT_NEAR(leave_one_out_score(covariance, data.points, data.values, data.noise),
              sum / static_cast<double>(n), 1e-7);
}

TEST_P(TrendFitOf, IsDeterministicAndBetterThanItsStarts) {
  TrendCovariance other = covariance;
  other.lengthscales.setConstant(4);
  other.signal = 3;
  const std::vector<TrendCovariance> starts{covariance, other};
  const TrendFit fit = fit_trend(starts, GetParam(), data.points, data.values, data.noise, 60);
  const TrendFit again = fit_trend(starts, GetParam(), data.points, data.values, data.noise, 60);
  EXPECT_EQ(fit.log_posterior, again.log_posterior);
  EXPECT_EQ(fit.covariance.lengthscales, again.covariance.lengthscales);
  EXPECT_EQ(fit.covariance.signal, again.covariance.signal);
  for (const TrendCovariance& start : starts)
    EXPECT_GT(fit.log_posterior, trend_likelihood(start, data.points, data.values, data.noise).value + 0.1);
  const TrendLikelihood end = trend_likelihood(fit.covariance, data.points, data.values, data.noise);
  EXPECT_EQ(end.value, fit.log_posterior);
  EXPECT_LT(end.gradient.cwiseAbs().maxCoeff(), 0.1);
  EXPECT_EQ(fit.leave_one_out, leave_one_out_score(fit.covariance, data.points, data.values, data.noise));
}

TEST_P(TrendFitOf, HasTheTextureAskedFor) {
  for (const Texture start : {Texture::smooth, Texture::rough}) {
    const TrendFit fit =
        fit_trend({covariance_of(start)}, GetParam(), data.points, data.values, data.noise, 10);
    EXPECT_EQ(fit.covariance.rough > 0, GetParam() == Texture::rough);
    EXPECT_EQ(fit.covariance.constant, covariance.constant);
    EXPECT_EQ(fit.covariance.bowl, covariance.bowl);
  }
}

TEST_P(TrendFitOf, EndsTheSameFromPointsInAnotherOrder) {
  Data turned = data;
  turned.points = data.points.rowwise().reverse().eval();
  turned.values = data.values.reverse().eval();
  turned.noise = data.noise.reverse().eval();
  EXPECT_NEAR(trend_likelihood(covariance, data.points, data.values, data.noise).value,
              trend_likelihood(covariance, turned.points, turned.values, turned.noise).value, 1e-9);
}

TEST(TrendFit, MatrixThatIsNotDefiniteIsRefusedAndNotPassedOff) {
  Data data = bent_data(4);
  data.noise.setConstant(-1e6);
  const TrendLikelihood here =
      trend_likelihood(covariance_of(Texture::smooth), data.points, data.values, data.noise);
  EXPECT_EQ(here.value, -infinity);
  EXPECT_EQ(here.gradient.size(), d + 2);
  EXPECT_EQ(leave_one_out_score(covariance_of(Texture::smooth), data.points, data.values, data.noise),
            -infinity);
}

}  // namespace
}  // namespace hunch
