#include "hunch/surrogate/trend_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

constexpr Index d = 2;

// Gradients are those of the first `sloped` points.
TrendData bent_data(Index n, Index sloped) {
  Rng rng({41, 0, 0, Purpose::test});
  TrendData data{Matrix(d, n), Vector(n), Vector(n), Matrix(d, sloped), 1e-3};
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
TrendData without(const TrendData& data, Index out) {
  const Index n = data.values.size();
  TrendData rest{Matrix(d, n - 1), Vector(n - 1), Vector(n - 1),
                 Matrix(d, data.sloped() - (out < data.sloped() ? 1 : 0)), data.gradient_noise_variance};
  for (Index i = 0, k = 0; i < n; ++i) {
    if (i == out) continue;
    rest.points.col(k) = data.points.col(i);
    rest.values[k] = data.values[i];
    if (i < data.sloped()) rest.gradients.col(k) = data.gradients.col(i);
    rest.noise_variances[k++] = data.noise_variances[i];
  }
  return rest;
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

struct Case {
  Texture texture;
  Index sloped;
};

class TrendFitOf : public testing::TestWithParam<Case> {
 protected:
  Texture texture = GetParam().texture;
  TrendData data = bent_data(15, GetParam().sloped);
  TrendCovariance covariance = covariance_of(texture);
};
INSTANTIATE_TEST_SUITE_P(Texture, TrendFitOf,
                         testing::Values(Case{Texture::smooth, 0}, Case{Texture::rough, 0},
                                         Case{Texture::smooth, 6}, Case{Texture::rough, 6},
                                         Case{Texture::rough, 15}),
                         [](const auto& one) {
                           return std::string(one.param.texture == Texture::smooth ? "smooth" : "rough") +
                                  "With" + std::to_string(one.param.sloped) + "Gradients";
                         });

TEST_P(TrendFitOf, GradientIsThatOfTheLikelihood) {
  const TrendLikelihood here = trend_likelihood(covariance, data);
  ASSERT_EQ(here.gradient.size(), texture == Texture::rough ? d + 3 : d + 2);
  constexpr double h = 1e-3;
  for (Index j = 0; j < here.gradient.size(); ++j) {
    const auto at = [&](double step) { return trend_likelihood(nudged(covariance, j, step), data).value; };
    const double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_NEAR(here.gradient[j], difference, 1e-7 * (1 + std::abs(difference))) << "hyperparameter " << j;
  }
}

// What is added to the likelihood depends on hyperparameters alone: between two data sets it cancels.
TEST_P(TrendFitOf, ValueIsTheLogDensityOfTheNumbers) {
  const auto log_density = [&](const TrendData& of) {
    Matrix k = trend_covariance_matrix(covariance, of.points, of.sloped());
    k.diagonal() += of.all_noise_variances();
    return -0.5 * of.numbers().dot(k.fullPivLu().solve(of.numbers()));
  };
  TrendData others = data;
  others.values = data.values.array().sin();
  others.gradients = data.gradients.array().cos();
  const double likelihoods =
      trend_likelihood(covariance, data).value - trend_likelihood(covariance, others).value;
  EXPECT_NEAR(likelihoods, log_density(data) - log_density(others), 1e-8 * (1 + std::abs(likelihoods)));
}

TEST_P(TrendFitOf, LeaveOneOutScoreIsThatOfLeavingEachPointOut) {
  double sum = 0;
  const Index n = data.values.size();
  for (Index out = 0; out < n; ++out) {
    const TrendProcess process(covariance, without(data, out));
    const Matrix z = data.points.col(out);
    const double variance = process.variances(z)[0] + data.noise_variances[out];
    const double miss = data.values[out] - process.means(z)[0];
    sum += -0.5 * (log_two_pi + std::log(variance) + miss * miss / variance);
  }
  EXPECT_NEAR(leave_one_out_score(covariance, data), sum / static_cast<double>(n), 1e-7);
}

TEST_P(TrendFitOf, IsDeterministicAndBetterThanItsStarts) {
  TrendCovariance other = covariance;
  other.lengthscales.setConstant(4);
  other.signal = 3;
  const std::vector<TrendCovariance> starts{covariance, other};
  const TrendFit fit = fit_trend(starts, texture, data, 60);
  const TrendFit again = fit_trend(starts, texture, data, 60);
  EXPECT_EQ(fit.log_posterior, again.log_posterior);
  EXPECT_EQ(fit.covariance.lengthscales, again.covariance.lengthscales);
  EXPECT_EQ(fit.covariance.signal, again.covariance.signal);
  for (const TrendCovariance& start : starts)
    EXPECT_GT(fit.log_posterior, trend_likelihood(start, data).value + 0.1);
  const TrendLikelihood end = trend_likelihood(fit.covariance, data);
  EXPECT_EQ(end.value, fit.log_posterior);
  EXPECT_LT(end.gradient.cwiseAbs().maxCoeff(), 0.1);
  EXPECT_EQ(fit.leave_one_out, leave_one_out_score(fit.covariance, data));
}

TEST_P(TrendFitOf, HasTheTextureAskedFor) {
  for (const Texture start : {Texture::smooth, Texture::rough}) {
    const TrendFit fit = fit_trend({covariance_of(start)}, texture, data, 10);
    EXPECT_EQ(fit.covariance.rough > 0, texture == Texture::rough);
    EXPECT_EQ(fit.covariance.constant, covariance.constant);
    EXPECT_EQ(fit.covariance.bowl, covariance.bowl);
  }
}

TEST_P(TrendFitOf, EndsTheSameFromPointsInAnotherOrder) {
  const Index n = data.values.size();
  const Index m = data.sloped();
  TrendData turned = data;  // those with gradients stay the first
  turned.gradients = data.gradients.rowwise().reverse();
  for (Index i = 0; i < n; ++i) {
    const Index from = i < m ? m - 1 - i : n - 1 - (i - m);
    turned.points.col(i) = data.points.col(from);
    turned.values[i] = data.values[from];
    turned.noise_variances[i] = data.noise_variances[from];
  }
  EXPECT_NEAR(trend_likelihood(covariance, data).value, trend_likelihood(covariance, turned).value, 1e-8);
}

// Else they would be paid for and not listened to.
TEST(TrendFit, GradientsSayWhatFewValuesCannot) {
  const TrendCovariance start = covariance_of(Texture::smooth);
  const TrendData truth = bent_data(60, 60);
  const TrendData few = bent_data(8, 0);
  const TrendData sloped = bent_data(8, 8);
  const auto score = [&](const TrendData& from) {
    return trend_likelihood(fit_trend({start}, Texture::smooth, from, 60).covariance, truth).value;
  };
  EXPECT_GT(score(sloped), score(few) + 1);
}

TEST(TrendFit, MatrixThatIsNotDefiniteIsRefusedAndNotPassedOff) {
  for (const Index sloped : {0, 4}) {
    TrendData data = bent_data(4, sloped);
    data.noise_variances.setConstant(-1e6);
    const TrendLikelihood here = trend_likelihood(covariance_of(Texture::smooth), data);
    EXPECT_EQ(here.value, -infinity);
    EXPECT_EQ(here.gradient, Vector::Zero(d + 2));
    EXPECT_EQ(leave_one_out_score(covariance_of(Texture::smooth), data), -infinity);
  }
}

}  // namespace
}  // namespace hunch
