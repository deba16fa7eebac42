// Fits of a stationary covariance to values and gradients together.

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/surrogate/fit.hpp"

namespace hunch {
namespace {

const CovarianceFamily families[] = {CovarianceFamily::squared_exponential, CovarianceFamily::matern52};

Rng stream(std::uint64_t number) {
  return Rng({21, 0, number, Purpose::test});
}

// Covariance of all (f_i, g_i), dense.
Matrix joint_covariance(const Covariance& covariance, const Matrix& points) {
  return covariance_matrix(covariance, Sites(covariance, points, points.cols()));
}

// A draw of (f, g) at random points from the process itself, plus a constant.
Data simulated(const Covariance& covariance, Index n, double mean, std::uint64_t number) {
  Rng rng = stream(number);
  const Index d = covariance.lengthscales.size();
  Data data{2 * rng.normal(d * n).reshaped(d, n), Vector(n), Matrix(d, n)};
  Matrix k = joint_covariance(covariance, data.points);
  k.diagonal() *= 1 + 1e-10;
  const Vector drawn = Eigen::LLT<Matrix>(k).matrixL() * rng.normal(k.rows());
  for (Index i = 0; i < n; ++i) {
    data.values(i) = mean + drawn(i * (d + 1));
    data.gradients.col(i) = drawn.segment(i * (d + 1) + 1, d);
  }
  return data;
}

// log N(y; m u, K) in original units, with nothing profiled and nothing scaled.
double dense_log_density(const Covariance& covariance, double mean, const Data& data, double jitter) {
  const Index h = data.points.rows() + 1;
  Matrix k = joint_covariance(covariance, data.points);
  k.diagonal() *= 1 + jitter;
  Vector r(k.rows());
  for (Index i = 0; i < data.values.size(); ++i) {
    r(i * h) = data.values(i) - mean;
    r.segment(i * h + 1, h - 1) = data.gradients.col(i);
  }
  const Eigen::LLT<Matrix> factor(k);
  const Vector white = factor.matrixL().solve(r);
  const double half_log_determinant = factor.matrixLLT().diagonal().array().log().sum();
  return -0.5 * white.squaredNorm() - half_log_determinant - 0.5 * static_cast<double>(r.size()) * log_two_pi;
}

TEST(ProfiledLikelihood, IsTheGaussianDensityAtItsOwnMeanAndVariance) {
  for (CovarianceFamily family : families) {
    const Covariance truth{family, 3, (Vector(3) << 0.7, 1.5, 4).finished()};
    const Data data = simulated(truth, 15, 10, 1);
    const Vector lengthscales = (Vector(3) << 1, 1.2, 3).finished();
    const ProfiledLikelihood found = profiled_likelihood(family, lengthscales, data, 1e-8);
    const auto density = [&](double variance, double mean) {
      return dense_log_density({family, variance, lengthscales}, mean, data, 1e-8);
    };
    const double top = density(found.signal_variance, found.prior_mean);
    EXPECT_NEAR(found.value, top, 1e-6 * std::abs(top));
    for (double factor : {0.99, 1.01}) {
      EXPECT_LT(density(found.signal_variance * factor, found.prior_mean), top);
      EXPECT_LT(density(found.signal_variance, found.prior_mean * factor), top);
    }
  }
}

TEST(ProfiledLikelihood, GradientIsItsDerivative) {
  const double h = 1e-4;
  for (CovarianceFamily family : families) {
    for (Index d : {1, 2, 3, 6}) {
      const Covariance truth{family, 2, Vector::LinSpaced(d, 0.9, 2)};
      const Data data = simulated(truth, 14, -3, 2);
      Vector lengthscales = 1.2 * truth.lengthscales;
      lengthscales(0) *= 0.6;
      const ProfiledLikelihood found = profiled_likelihood(family, lengthscales, data, 1e-6);
      for (Index j = 0; j < d; ++j) {
        const auto moved = [&](double step) {
          Vector l = lengthscales;
          l(j) *= std::exp(step);
          return profiled_likelihood(family, l, data, 1e-6).value;
        };
        const double central = (moved(h) - moved(-h)) / (2 * h);
        EXPECT_NEAR(found.gradient(j), central, 1e-5 * (1 + std::abs(central))) << d << " " << j;
      }
    }
  }
}

TEST(ProfiledLikelihood, LargeMatrixGradientIsItsDerivativeToo) {
  const double h = 1e-4;
  const Covariance truth{CovarianceFamily::matern52, 2, (Vector(3) << 0.8, 1.5, 2.5).finished()};
  const Data data = simulated(truth, 50, 0, 3);
  const ProfiledLikelihood found = profiled_likelihood(truth.family, truth.lengthscales, data, 1e-10);
  for (Index j = 0; j < 3; ++j) {
    const auto moved = [&](double step) {
      Vector l = truth.lengthscales;
      l(j) *= std::exp(step);
      return profiled_likelihood(truth.family, l, data, 1e-10).value;
    };
    const double central = (moved(h) - moved(-h)) / (2 * h);
    EXPECT_NEAR(found.gradient(j), central, 1e-5 * (1 + std::abs(central)));
  }
}

// The errors allowed are five times the root mean square error over 100 other draws (for lengthscales .028
// and .011 with the smooth family, .108 and .064 with the rough one): a false alarm for a new seed is rarer
// than 1e-4.
TEST(StationaryFit, RecoversTheLengthscalesThatMadeTheData) {
  struct Case {
    CovarianceFamily family;
    Index n;
    double allowed;
  };
  for (const auto& [family, n, allowed] :
       {Case{CovarianceFamily::squared_exponential, 30, 0.14},
        Case{CovarianceFamily::squared_exponential, 100, 0.055}, Case{CovarianceFamily::matern52, 30, 0.54},
        Case{CovarianceFamily::matern52, 100, 0.32}}) {
    const Covariance truth{family, 4, (Vector(2) << 0.8, 2.0).finished()};
    const FitResult found = fit_stationary(simulated(truth, n, 50, 4), family);
    ASSERT_TRUE(std::isfinite(found.log_posterior));
    for (Index j = 0; j < 2; ++j) {
      EXPECT_NEAR(std::log(found.covariance.lengthscales(j) / truth.lengthscales(j)), 0, allowed);
    }
    EXPECT_NEAR(std::log(found.covariance.signal_variance / 4), 0, 1.4);
    EXPECT_NEAR(found.prior_mean, 50, 6);
  }
}

TEST(StationaryFit, EndsWhereTheGradientVanishesInsideTheBounds) {
  const Covariance truth{CovarianceFamily::squared_exponential, 4, (Vector(2) << 0.8, 2.0).finished()};
  const Data data = simulated(truth, 40, 0, 5);
  const StationaryFit options;
  const FitResult found = fit_stationary(data, truth.family, std::nullopt, options);
  const auto penalised = [&](const Vector& l) {
    double value = profiled_likelihood(truth.family, l, data, 1e-10).value;
    for (Index j = 0; j < 2; ++j) {
      const Vector row = data.points.row(j);
      const double spread = std::sqrt((row.array() - row.mean()).square().mean());
      value -= 0.5 * std::pow(std::log(l(j) / spread / options.typical) / options.log_deviation, 2);
    }
    return value;
  };
  const double top = penalised(found.covariance.lengthscales);
  EXPECT_NEAR(top, found.log_posterior, 1e-9 * std::abs(top));
  for (Index j = 0; j < 2; ++j) {
    for (double factor : {0.95, 1.05}) {
      Vector moved = found.covariance.lengthscales;
      moved(j) *= factor;
      EXPECT_LT(penalised(moved), top);
    }
  }
}

TEST(StationaryFit, SameDataGiveTheSameBits) {
  const Data data = simulated({CovarianceFamily::matern52, 1, Vector::Ones(3)}, 60, 0, 6);
  const FitResult first = fit_stationary(data, CovarianceFamily::matern52);
  const FitResult second = fit_stationary(data, CovarianceFamily::matern52);
  EXPECT_EQ(first.covariance.lengthscales, second.covariance.lengthscales);
  EXPECT_EQ(first.log_posterior, second.log_posterior);
}

TEST(StationaryFit, LooksOnlyAtTheHighestFinitePoints) {
  const Index d = 3;
  const Index most = StationaryFit{}.most_numbers / (d + 1);
  Data data = simulated({CovarianceFamily::squared_exponential, 1, Vector::Ones(d)}, most, 0, 7);
  const FitResult expected = fit_stationary(data, CovarianceFamily::squared_exponential);
  const Index n = most + 3;
  data.points.conservativeResize(d, n);
  data.values.conservativeResize(n);
  data.gradients.conservativeResize(d, n);
  data.points.rightCols(3).setConstant(1e3);
  data.gradients.rightCols(3).setConstant(-7);
  data.values.tail(3) << -1e8, std::nan(""), 1e9;
  data.points(1, n - 1) = infinity;
  const FitResult found = fit_stationary(data, CovarianceFamily::squared_exponential);
  EXPECT_EQ(found.covariance.lengthscales, expected.covariance.lengthscales);
  EXPECT_EQ(found.prior_mean, expected.prior_mean);
}

TEST(StationaryFit, DataThatSayNothingKeepThePreviousCovariance) {
  const Covariance previous{CovarianceFamily::squared_exponential, 9, Vector::Constant(2, 5)};
  const Data flat{Matrix::Random(2, 6), Vector::Constant(6, -4), Matrix::Zero(2, 6)};
  const Data none{Matrix(2, 0), Vector(0), Matrix(2, 0)};
  for (const Data& data : {flat, none}) {
    const FitResult found = fit_stationary(data, previous.family, previous);
    EXPECT_EQ(found.log_posterior, -infinity);
    EXPECT_EQ(found.covariance.lengthscales, previous.lengthscales);
    EXPECT_EQ(found.prior_mean, data.values.size() > 0 ? -4 : 0);
  }
}

TEST(StationaryFit, GradientsOfAnotherSizeAreRefusedAtTheDoor) {
  const Data data{Matrix::Zero(2, 5), Vector::Zero(5), Matrix::Zero(2, 4)};
  EXPECT_THROW(fit_stationary(data, CovarianceFamily::matern52), InputError);
}

TEST(StationaryFit, SurvivesTorture) {
  for (std::uint64_t number = 0; number < 300; ++number) {
    Rng rng = stream(1000 + number);
    const Index d = 1 + static_cast<Index>(rng.below(5));
    const Index n = static_cast<Index>(rng.below(16));
    const double range = std::pow(10, 8 * rng.uniform());
    Data data{std::pow(10, 18 * rng.uniform() - 12) * rng.normal(d * n).reshaped(d, n), range * rng.normal(n),
              range * std::pow(10, 12 * rng.uniform() - 6) * rng.normal(d * n).reshaped(d, n)};
    for (Index i = 1; i < n; ++i) {
      if (rng.below(4) == 0) data.points.col(i) = data.points.col(i - 1);
    }
    const FitResult found = fit_stationary(data, families[rng.below(2)]);
    ASSERT_TRUE(std::isfinite(found.covariance.signal_variance)) << number;
    ASSERT_GT(found.covariance.signal_variance, 0) << number;
    ASSERT_TRUE((found.covariance.lengthscales.array() > 0).all()) << number;
    ASSERT_TRUE(found.covariance.lengthscales.allFinite()) << number;
    ASSERT_TRUE(std::isfinite(found.prior_mean)) << number;
  }
}

}  // namespace
}  // namespace hunch
