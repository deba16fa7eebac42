// A process with a trend, noise for each point, and gradients at some of them.

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/rng.hpp"
#include "hunch/surrogate/gaussian_process.hpp"

namespace hunch {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

constexpr Index d = 3;

// Gradients are those of the first `sloped` points.
Data bent_data(Index n, Index sloped) {
  Rng rng({31, 0, 0, Purpose::test});
  Data data{Matrix(d, n), Vector(n), Matrix(d, sloped), Vector(n), 1e-4};
  for (Index i = 0; i < n; ++i) {
    data.points.col(i) = 1.3 * rng.normal(d);
    const Vector z = data.points.col(i);
    data.values[i] = -7 - z.squaredNorm() + 0.4 * z[0] * z[1] + 0.3 * std::sin(2 * z[2]);
    data.noise_variances[i] = 1e-4 * (1 + z.squaredNorm());
    if (i >= sloped) continue;
    data.gradients.col(i) = -2 * z;
    data.gradients(0, i) += 0.4 * z[1];
    data.gradients(1, i) += 0.4 * z[0];
    data.gradients(2, i) += 0.6 * std::cos(2 * z[2]);
  }
  return data;
}

constexpr CovarianceFamily smooth = CovarianceFamily::squared_exponential;
constexpr CovarianceFamily rough = CovarianceFamily::matern52;

// Every term of the covariance is of a size at which an error in it would be seen.
Covariance covariance_of(CovarianceFamily family, bool tilted = false) {
  Covariance c{.family = family,
               .signal_variance = 0.6,
               .lengthscales = Vector{{0.9, 1.7, 2.4}},
               .constant = 25,
               .bowl = 9,
               .quadratic = 0.8};
  if (!tilted) return c;
  c.axis = Vector{{0.2, -0.1, 0.3}};
  c.tilted = {0.7, 0.4};
  return c;
}

GaussianProcess conditioned(const Covariance& covariance, const Data& data) {
  return GaussianProcess::condition(covariance, data, 0, with_noise);
}

// Of the value (0) or the derivative by a coordinate (1 .. d) at x, and the same at y, as the textbooks write
// them.
struct Number {
  Vector at;
  Index which;
};
// Of exp(m axis.x) exp(m axis.y) (1 + x.y)^2.
long double textbook_tilted(const Covariance& c, const LongVector& x, const LongVector& y, Index i, Index j) {
  long double sum = 0;
  for (int m = 1; m <= 2; ++m) {
    const LongVector r = m * c.axis.cast<long double>();
    const long double q = 1 + x.dot(y);
    const long double e = c.tilted[static_cast<std::size_t>(m - 1)] * std::exp(r.dot(x + y));
    if (i < 0 && j < 0)
      sum += e * q * q;
    else if (j < 0)
      sum += e * (r[i] * q * q + 2 * q * y[i]);
    else
      sum += e * (r[j] * (r[i] * q * q + 2 * q * y[i]) + r[i] * 2 * q * x[j] + 2 * x[j] * y[i] +
                  (i == j ? 2 * q : 0));
  }
  return sum;
}

long double textbook_covariance(const Covariance& c, const Number& a, const Number& b) {
  const LongVector x = a.at.cast<long double>(), y = b.at.cast<long double>();
  const LongVector l = c.lengthscales.cast<long double>();
  const LongVector apart = (x - y).cwiseQuotient(l);
  const long double r = std::sqrt(5 * apart.squaredNorm()), dot = x.dot(y);
  const long double qx = x.squaredNorm() / 2, qy = y.squaredNorm() / 2;
  const long double se = c.family == smooth ? c.signal_variance * std::exp(-apart.squaredNorm() / 2) : 0;
  const long double e = c.family == rough ? c.signal_variance * std::exp(-r) : 0;
  const Index i = a.which - 1, j = b.which - 1;
  if (i < 0 && j >= 0) return textbook_covariance(c, b, a);
  const long double tilted = c.is_tilted() ? textbook_tilted(c, x, y, i, j) : 0;
  if (i < 0 && j < 0)
    return tilted + se + e * (1 + r + r * r / 3) + c.constant + c.bowl * qx * qy +
           c.quadratic * (4 * dot + dot * dot);
  if (j < 0)
    return tilted - (se + e * 5 * (1 + r) / 3) * apart[i] / l[i] + c.bowl * x[i] * qy +
           c.quadratic * (4 + 2 * dot) * y[i];
  const long double same = i == j ? 1 : 0;
  return tilted +
         (same * (se + e * 5 * (1 + r) / 3) - (se + e * 25 / 3) * apart[i] * apart[j]) / l[i] / l[j] +
         c.bowl * x[i] * y[j] + c.quadratic * (same * (4 + 2 * dot) + 2 * x[j] * y[i]);
}

std::vector<Number> values_at(const Matrix& points) {
  std::vector<Number> numbers;
  for (Index i = 0; i < points.cols(); ++i) numbers.push_back({points.col(i), 0});
  return numbers;
}

std::vector<Number> all_of(const Data& data) {
  std::vector<Number> numbers;
  for (Index i = 0; i < data.points.cols(); ++i)
    for (Index which = 0; which <= (i < data.sloped() ? d : 0); ++which)
      numbers.push_back({data.points.col(i), which});
  return numbers;
}

LongMatrix textbook_covariance(const Covariance& c, const std::vector<Number>& a,
                               const std::vector<Number>& b) {
  LongMatrix k(static_cast<Index>(a.size()), static_cast<Index>(b.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j)
      k(static_cast<Index>(i), static_cast<Index>(j)) = textbook_covariance(c, a[i], b[j]);
  return k;
}

struct Dense {
  LongVector means;
  LongMatrix covariance;
};

// k(z, Z) (K + noise)^-1 y and k(z, z) - k(z, Z) (K + noise)^-1 k(Z, z), as the textbooks write them.
Dense textbook(const Covariance& c, const Data& data, const Matrix& zs) {
  LongMatrix k = textbook_covariance(c, all_of(data), all_of(data));
  k.diagonal() += data.noise().cast<long double>();
  const LongMatrix cross = textbook_covariance(c, all_of(data), values_at(zs));
  const Eigen::FullPivLU<LongMatrix> lu(k);
  return {cross.transpose() * lu.solve(data.numbers().cast<long double>()),
          textbook_covariance(c, values_at(zs), values_at(zs)) - cross.transpose() * lu.solve(cross)};
}

// Near the data and far from them.
Matrix elsewhere() {
  Rng rng({32, 0, 0, Purpose::test});
  Matrix zs(d, 8);
  for (Index i = 0; i < zs.cols(); ++i) zs.col(i) = (i < 5 ? 1.0 : 4.0) * rng.normal(d);
  return zs;
}

struct Case {
  CovarianceFamily family;
  Index sloped;
  bool tilted = false;
};

class TrendOf : public testing::TestWithParam<Case> {
 protected:
  Covariance covariance = covariance_of(GetParam().family, GetParam().tilted);
  Data data = bent_data(14, GetParam().sloped);
  GaussianProcess process = conditioned(covariance, data);
  MeanFunction function = process.mean_function();
  Matrix zs = elsewhere();
};
INSTANTIATE_TEST_SUITE_P(Texture, TrendOf,
                         testing::Values(Case{smooth, 0}, Case{rough, 0}, Case{smooth, 5}, Case{rough, 5},
                                         Case{rough, 14}, Case{smooth, 0, true}, Case{smooth, 5, true}),
                         [](const auto& one) {
                           return std::string(one.param.family == smooth ? "smooth" : "rough") +
                                  (one.param.tilted ? "TiltedWith" : "With") +
                                  std::to_string(one.param.sloped) + "Gradients";
                         });

// Nothing else in this file would notice if both were wrong in the same way.
TEST_P(TrendOf, TextbookDerivativesAreThoseOfTheCovariance) {
  constexpr double h = 1e-3;
  const auto near = [](long double a, long double b) {
    EXPECT_NEAR(static_cast<double>(a), static_cast<double>(b),
                1e-6 * (1 + std::abs(static_cast<double>(a))));
  };
  for (Index p = 0; p < 4; ++p) {
    const Vector x = data.points.col(p), y = data.points.col(p + 1);
    for (Index i = 0; i < d; ++i) {
      const Vector step = h * Vector::Unit(d, i);
      for (Index which = 0; which <= d; ++which) {
        const auto at = [&](double steps) {
          return textbook_covariance(covariance, {x + steps * step, 0}, {y, which});
        };
        near(textbook_covariance(covariance, {x, i + 1}, {y, which}),
             (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h));
      }
    }
  }
}

// The condition number of K is about 1e8 here, so that 1e-8 relative to the prior is what doubles can give.
TEST_P(TrendOf, AgreesWithTheTextbookInLongDouble) {
  const Dense dense = textbook(covariance, data, zs);
  const Vector means = function.values(zs), variances = process.variances(zs);
  const GaussianProcess::Joint joint = process.joint(zs);
  GaussianProcess::Workspace room;
  for (Index i = 0; i < zs.cols(); ++i) {
    const double prior = static_cast<double>(textbook_covariance(covariance, {zs.col(i), 0}, {zs.col(i), 0}));
    EXPECT_NEAR(means[i], static_cast<double>(dense.means[i]), 1e-8 * std::sqrt(prior));
    EXPECT_NEAR(joint.means[i], static_cast<double>(dense.means[i]), 1e-8 * std::sqrt(prior));
    EXPECT_NEAR(variances[i], static_cast<double>(dense.covariance(i, i)), 1e-8 * prior);
    EXPECT_NEAR(process.variance(zs.col(i), room), static_cast<double>(dense.covariance(i, i)), 1e-8 * prior);
    for (Index j = 0; j < zs.cols(); ++j)
      EXPECT_NEAR(joint.covariance(i, j), static_cast<double>(dense.covariance(i, j)), 1e-8 * prior);
  }
}

TEST_P(TrendOf, CovarianceMatrixAgreesWithItsFormula) {
  const Matrix k = covariance_matrix(covariance, Sites(covariance, data.points, data.sloped()));
  const LongMatrix formula = textbook_covariance(covariance, all_of(data), all_of(data));
  ASSERT_EQ(k.rows(), formula.rows());
  EXPECT_LT((k - formula.cast<double>()).cwiseAbs().maxCoeff(), 1e-12 * k.diagonal().maxCoeff());
}

TEST_P(TrendOf, MeanOfOneIsMeanOfMany) {
  const Vector means = function.values(zs);
  GaussianProcess::Workspace room;
  Vector gradient(d);
  for (Index i = 0; i < zs.cols(); ++i) {
    EXPECT_EQ(function.value(zs.col(i), room), means[i]);
    EXPECT_NEAR(function.value_and_gradient(zs.col(i), gradient, room), means[i],
                1e-11 * (1 + std::abs(means[i])));
  }
}

TEST_P(TrendOf, GradientIsThatOfTheMean) {
  GaussianProcess::Workspace room;
  Vector gradient(d);
  constexpr double h = 1e-4;
  for (Index i = 0; i < zs.cols(); ++i) {
    const Vector z = zs.col(i);
    function.value_and_gradient(z, gradient, room);
    for (Index j = 0; j < d; ++j) {
      const auto at = [&](double step) { return function.value(z + step * Vector::Unit(d, j), room); };
      const double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_NEAR(gradient[j], difference, 1e-7 * (1 + gradient.norm()));
    }
  }
}

TEST_P(TrendOf, MeanGradientAtADatumIsFinite) {
  GaussianProcess::Workspace room;
  Vector gradient(d);
  function.value_and_gradient(data.points.col(2), gradient, room);
  EXPECT_TRUE(gradient.allFinite());
}

// There the trend is all that is left.
TEST_P(TrendOf, MeanFarAwayIsAQuadratic) {
  GaussianProcess::Workspace room;
  const Vector z{{400, -300, 500}}, step{{3, 1, -2}};
  const auto at = [&](double steps) { return function.value(z + steps * step, room); };
  const double curvature = at(1) - 2 * at(0) + at(-1);
  for (const double steps : {10, 100})
    EXPECT_NEAR(at(steps) - 2 * at(0) + at(-steps), steps * steps * curvature,
                1e-5 * std::abs(steps * steps * curvature));
}

// Without noise nothing of the variance is left at the data but rounding, which is what is claimed.
TEST_P(TrendOf, VarianceIsNeverLessThanRoundingLeaves) {
  covariance.constant = covariance.bowl = 1e4;
  const GaussianProcess certain =
      conditioned(covariance, {15 * data.points, data.values, data.gradients, Vector::Zero(14), 0});
  const Vector variances = certain.variances(15 * data.points);
  for (Index i = 0; i < variances.size(); ++i)
    EXPECT_NEAR(variances[i] / (rounding * prior_variance(covariance, 15 * data.points.col(i))), 1, 0.1) << i;
  EXPECT_GE(certain.joint(15 * data.points).covariance.diagonal().minCoeff(), 0);
}

// Vague terms of 1e4, and points that are there twice, and once more all but so.
TEST_P(TrendOf, RepeatedPointsDoNoHarm) {
  covariance.constant = covariance.bowl = 1e4;
  Matrix points(d, 42);
  points << data.points, data.points, (data.points.array() + 1e-9).matrix();
  Vector values(42);
  values << data.values, data.values, data.values;
  const GaussianProcess twice =
      conditioned(covariance, {points, values, data.gradients, Vector::Constant(42, 1e-8), 1e-8});
  const Vector variances = twice.variances(points);
  EXPECT_GE(variances.minCoeff(), 0);
  EXPECT_LT(variances.maxCoeff(), 1e-2 * covariance.signal_variance);
  EXPECT_GE(twice.joint(points).covariance.diagonal().minCoeff(), 0);
  EXPECT_TRUE(twice.mean_function().values(zs).allFinite());
  EXPECT_LT((twice.mean_function().values(data.points) - data.values).cwiseAbs().maxCoeff(), 0.05);
}

TEST(Trend, ReproducesAQuadraticFarOutsideTheData) {
  const Data data = bent_data(25, 0);
  const Matrix curvature{{-2.0, 0.3, 0.1}, {0.3, -1.5, 0.0}, {0.1, 0.0, -0.7}};
  const Vector slope{{0.5, -1.0, 0.2}};
  const auto quadratic = [&](const Vector& z) { return -3 + slope.dot(z) + 0.5 * z.dot(curvature * z); };
  Vector values(25);
  for (Index i = 0; i < 25; ++i) values[i] = quadratic(data.points.col(i));
  const Covariance covariance{.signal_variance = 1e-12,
                              .lengthscales = Vector::Ones(d),
                              .constant = 1e4,
                              .bowl = 1e4,
                              .quadratic = 10};
  const MeanFunction function =
      conditioned(covariance, {data.points, values, Matrix(d, 0), Vector::Constant(25, 1e-9)})
          .mean_function();
  GaussianProcess::Workspace room;
  for (const Vector& z : {Vector{{10, 0, -10}}, Vector{{-30, 40, 20}}, Vector{{0, 0, 100}}})
    EXPECT_NEAR(function.value(z, room), quadratic(z), 1e-5 * std::abs(quadratic(z)));
  EXPECT_LT(std::abs(function.bowl_curvature()), 10);
}

// Ten coefficients of a quadratic, from four points.
TEST(Trend, FewGradientsReproduceAQuadratic) {
  Data data = bent_data(4, 4);
  const Matrix curvature{{-2.0, 0.3, 0.1}, {0.3, -1.5, 0.0}, {0.1, 0.0, -0.7}};
  const Vector slope{{0.5, -1.0, 0.2}};
  const auto quadratic = [&](const Vector& z) { return -3 + slope.dot(z) + 0.5 * z.dot(curvature * z); };
  for (Index i = 0; i < 4; ++i) {
    data.values[i] = quadratic(data.points.col(i));
    data.gradients.col(i) = slope + curvature * data.points.col(i);
  }
  data.noise_variances.setConstant(1e-9);
  data.gradient_noise_variance = 1e-9;
  const Covariance covariance{.signal_variance = 1e-12,
                              .lengthscales = Vector::Ones(d),
                              .constant = 1e4,
                              .bowl = 1e4,
                              .quadratic = 10};
  const MeanFunction function = conditioned(covariance, data).mean_function();
  GaussianProcess::Workspace room;
  for (const Vector& z : {Vector{{2, 0, -1}}, Vector{{-3, 4, 2}}, Vector{{0, 0, 10}}})
    EXPECT_NEAR(function.value(z, room), quadratic(z), 1e-3 * std::abs(quadratic(z)));
}

TEST(Trend, MeanHasTheGradientsItWasTold) {
  Data data = bent_data(9, 6);
  data.noise_variances.setConstant(1e-10);
  data.gradient_noise_variance = 1e-10;
  for (const CovarianceFamily family : {smooth, rough}) {
    const MeanFunction function = conditioned(covariance_of(family), data).mean_function();
    GaussianProcess::Workspace room;
    Vector gradient(d);
    for (Index i = 0; i < 6; ++i) {
      EXPECT_NEAR(function.value_and_gradient(data.points.col(i), gradient, room), data.values[i], 1e-6);
      EXPECT_LT((gradient - data.gradients.col(i)).norm(), 1e-6);
    }
  }
}

}  // namespace
}  // namespace hunch
