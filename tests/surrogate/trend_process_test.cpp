#include "hunch/surrogate/trend_process.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

constexpr Index d = 3;

// Gradients are those of the first `sloped` points.
TrendData bent_data(Index n, Index sloped) {
  Rng rng({31, 0, 0, Purpose::test});
  TrendData data{Matrix(d, n), Vector(n), Vector(n), Matrix(d, sloped), 1e-4};
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

enum class Kind { smooth, rough };

// Every term of the covariance is of a size at which an error in it would be seen.
TrendCovariance covariance_of(Kind kind) {
  return {.lengthscales = Vector{{0.9, 1.7, 2.4}},
          .signal = 0.6,
          .rough = kind == Kind::rough ? 0.3 : 0,
          .quadratic = 0.8,
          .constant = 25,
          .bowl = 9};
}

// Of the value (0) or the derivative by a coordinate (1 .. d) at x, and the same at y, as the textbooks write
// them.
struct Number {
  Vector at;
  Index which;
};
long double covariance_between(const TrendCovariance& c, const Number& a, const Number& b) {
  const LongVector x = a.at.cast<long double>(), y = b.at.cast<long double>();
  const LongVector l = c.lengthscales.cast<long double>();
  const LongVector apart = (x - y).cwiseQuotient(l);
  const long double r = std::sqrt(5 * apart.squaredNorm()), dot = x.dot(y);
  const long double qx = x.squaredNorm() / 2, qy = y.squaredNorm() / 2;
  const long double se = c.signal * std::exp(-apart.squaredNorm() / 2), e = c.rough * std::exp(-r);
  const Index i = a.which - 1, j = b.which - 1;
  if (i < 0 && j < 0)
    return se + e * (1 + r + r * r / 3) + c.constant + c.bowl * qx * qy + c.quadratic * (4 * dot + dot * dot);
  if (i < 0) return covariance_between(c, b, a);
  if (j < 0)
    return -(se + e * 5 * (1 + r) / 3) * apart[i] / l[i] + c.bowl * x[i] * qy +
           c.quadratic * (4 + 2 * dot) * y[i];
  const long double same = i == j ? 1 : 0;
  return (same * (se + e * 5 * (1 + r) / 3) - (se + e * 25 / 3) * apart[i] * apart[j]) / l[i] / l[j] +
         c.bowl * x[i] * y[j] + c.quadratic * (same * (4 + 2 * dot) + 2 * x[j] * y[i]);
}

std::vector<Number> values_at(const Matrix& points) {
  std::vector<Number> numbers;
  for (Index i = 0; i < points.cols(); ++i) numbers.push_back({points.col(i), 0});
  return numbers;
}

std::vector<Number> all_of(const TrendData& data) {
  std::vector<Number> numbers = values_at(data.points);
  for (Index j = 0; j < d; ++j)
    for (Index i = 0; i < data.sloped(); ++i) numbers.push_back({data.points.col(i), j + 1});
  return numbers;
}

LongMatrix covariance_between(const TrendCovariance& c, const std::vector<Number>& a,
                              const std::vector<Number>& b) {
  LongMatrix k(static_cast<Index>(a.size()), static_cast<Index>(b.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j)
      k(static_cast<Index>(i), static_cast<Index>(j)) = covariance_between(c, a[i], b[j]);
  return k;
}

struct Dense {
  LongVector means;
  LongMatrix covariance;
};

// k(z, Z) (K + noise)^-1 y and k(z, z) - k(z, Z) (K + noise)^-1 k(Z, z), as the textbooks write them.
Dense textbook(const TrendCovariance& c, const TrendData& data, const Matrix& zs) {
  LongMatrix k = covariance_between(c, all_of(data), all_of(data));
  k.diagonal() += data.all_noise_variances().cast<long double>();
  const LongMatrix cross = covariance_between(c, all_of(data), values_at(zs));
  const Eigen::FullPivLU<LongMatrix> lu(k);
  return {cross.transpose() * lu.solve(data.numbers().cast<long double>()),
          covariance_between(c, values_at(zs), values_at(zs)) - cross.transpose() * lu.solve(cross)};
}

// Near the data and far from them.
Matrix elsewhere() {
  Rng rng({32, 0, 0, Purpose::test});
  Matrix zs(d, 8);
  for (Index i = 0; i < zs.cols(); ++i) zs.col(i) = (i < 5 ? 1.0 : 4.0) * rng.normal(d);
  return zs;
}

struct Case {
  Kind kind;
  Index sloped;
};

class TrendProcessOf : public testing::TestWithParam<Case> {
 protected:
  TrendCovariance covariance = covariance_of(GetParam().kind);
  TrendData data = bent_data(14, GetParam().sloped);
  TrendProcess process{covariance, data};
  Matrix zs = elsewhere();
};
INSTANTIATE_TEST_SUITE_P(Texture, TrendProcessOf,
                         testing::Values(Case{Kind::smooth, 0}, Case{Kind::rough, 0}, Case{Kind::smooth, 5},
                                         Case{Kind::rough, 5}, Case{Kind::rough, 14}),
                         [](const auto& one) {
                           return std::string(one.param.kind == Kind::smooth ? "smooth" : "rough") + "With" +
                                  std::to_string(one.param.sloped) + "Gradients";
                         });

// Nothing else in this file would notice if both were wrong in the same way.
TEST_P(TrendProcessOf, TextbookDerivativesAreThoseOfTheCovariance) {
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
          return covariance_between(covariance, {x + steps * step, 0}, {y, which});
        };
        near(covariance_between(covariance, {x, i + 1}, {y, which}),
             (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h));
      }
    }
  }
}

// The condition number of K is about 1e8 here, so that 1e-8 relative to the prior is what doubles can give.
TEST_P(TrendProcessOf, AgreesWithTheTextbookInLongDouble) {
  const Dense dense = textbook(covariance, data, zs);
  const Vector means = process.means(zs), variances = process.variances(zs);
  const TrendProcess::Joint joint = process.joint(zs);
  TrendProcess::Workspace room;
  for (Index i = 0; i < zs.cols(); ++i) {
    const double prior = static_cast<double>(covariance_between(covariance, {zs.col(i), 0}, {zs.col(i), 0}));
    EXPECT_NEAR(means[i], static_cast<double>(dense.means[i]), 1e-8 * std::sqrt(prior));
    EXPECT_NEAR(joint.means[i], static_cast<double>(dense.means[i]), 1e-8 * std::sqrt(prior));
    EXPECT_NEAR(variances[i], static_cast<double>(dense.covariance(i, i)), 1e-8 * prior);
    EXPECT_NEAR(process.variance(zs.col(i), room), static_cast<double>(dense.covariance(i, i)), 1e-8 * prior);
    for (Index j = 0; j < zs.cols(); ++j)
      EXPECT_NEAR(joint.covariance(i, j), static_cast<double>(dense.covariance(i, j)), 1e-8 * prior);
  }
}

TEST_P(TrendProcessOf, CovarianceMatrixAgreesWithItsFormula) {
  const Matrix k = trend_covariance_matrix(covariance, data.points, data.sloped());
  const LongMatrix formula = covariance_between(covariance, all_of(data), all_of(data));
  ASSERT_EQ(k.rows(), formula.rows());
  EXPECT_LT((k - formula.cast<double>()).cwiseAbs().maxCoeff(), 1e-12 * k.diagonal().maxCoeff());
}

TEST_P(TrendProcessOf, MeanOfOneIsMeanOfMany) {
  const Vector means = process.means(zs);
  TrendProcess::Workspace room;
  Vector gradient(d);
  for (Index i = 0; i < zs.cols(); ++i) {
    EXPECT_EQ(process.mean(zs.col(i), room), means[i]);
    EXPECT_NEAR(process.mean_and_gradient(zs.col(i), gradient, room), means[i],
                1e-11 * (1 + std::abs(means[i])));
  }
}

TEST_P(TrendProcessOf, GradientIsThatOfTheMean) {
  TrendProcess::Workspace room;
  Vector gradient(d);
  constexpr double h = 1e-4;
  for (Index i = 0; i < zs.cols(); ++i) {
    const Vector z = zs.col(i);
    process.mean_and_gradient(z, gradient, room);
    for (Index j = 0; j < d; ++j) {
      const auto at = [&](double step) { return process.mean(z + step * Vector::Unit(d, j), room); };
      const double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_NEAR(gradient[j], difference, 1e-7 * (1 + gradient.norm()));
    }
  }
}

TEST_P(TrendProcessOf, MeanGradientAtADatumIsFinite) {
  TrendProcess::Workspace room;
  Vector gradient(d);
  process.mean_and_gradient(data.points.col(2), gradient, room);
  EXPECT_TRUE(gradient.allFinite());
}

TEST_P(TrendProcessOf, CurvatureIsTheSecondDifferenceOfTheMeanFarAway) {
  TrendProcess::Workspace room;
  const Vector z{{400, -300, 500}}, step{{3, 1, -2}};
  const double difference =
      process.mean(z + step, room) - 2 * process.mean(z, room) + process.mean(z - step, room);
  EXPECT_NEAR(step.dot(process.trend_curvature() * step), difference, 1e-6 * std::abs(difference));
  EXPECT_TRUE(process.trend_curvature().isApprox(process.trend_curvature().transpose(), 1e-12));
}

// Without noise nothing of the variance is left at the data but rounding, of a prior variance of 1e9.
TEST_P(TrendProcessOf, VarianceIsNeverNegative) {
  covariance.constant = covariance.bowl = 1e4;
  const TrendProcess certain(covariance,
                             {15 * data.points, data.values, Vector::Zero(14), data.gradients, 0});
  EXPECT_GE(certain.variances(15 * data.points).minCoeff(), 0);
  EXPECT_GE(certain.joint(15 * data.points).covariance.diagonal().minCoeff(), 0);
  EXPECT_LT(certain.variances(15 * data.points).maxCoeff(), 1e-3);
}

// Vague terms of 1e4, and points that are there twice, and once more all but so.
TEST_P(TrendProcessOf, RepeatedPointsDoNoHarm) {
  covariance.constant = covariance.bowl = 1e4;
  Matrix points(d, 42);
  points << data.points, data.points, (data.points.array() + 1e-9).matrix();
  Vector values(42);
  values << data.values, data.values, data.values;
  const TrendProcess twice(covariance, {points, values, Vector::Constant(42, 1e-8), data.gradients, 1e-8});
  const Vector variances = twice.variances(points);
  EXPECT_GE(variances.minCoeff(), 0);
  EXPECT_LT(variances.maxCoeff(), 1e-2 * covariance.signal);
  EXPECT_GE(twice.joint(points).covariance.diagonal().minCoeff(), 0);
  EXPECT_TRUE(twice.means(zs).allFinite());
  EXPECT_LT((twice.means(data.points) - data.values).cwiseAbs().maxCoeff(), 0.05);
}

TEST(TrendProcess, ReproducesAQuadraticFarOutsideTheData) {
  const TrendData data = bent_data(25, 0);
  const Matrix curvature{{-2.0, 0.3, 0.1}, {0.3, -1.5, 0.0}, {0.1, 0.0, -0.7}};
  const Vector slope{{0.5, -1.0, 0.2}};
  const auto quadratic = [&](const Vector& z) { return -3 + slope.dot(z) + 0.5 * z.dot(curvature * z); };
  Vector values(25);
  for (Index i = 0; i < 25; ++i) values[i] = quadratic(data.points.col(i));
  const TrendCovariance covariance{.lengthscales = Vector::Ones(d), .signal = 1e-12, .quadratic = 10};
  const TrendProcess process(covariance, {data.points, values, Vector::Constant(25, 1e-9)});
  TrendProcess::Workspace room;
  for (const Vector& z : {Vector{{10, 0, -10}}, Vector{{-30, 40, 20}}, Vector{{0, 0, 100}}})
    EXPECT_NEAR(process.mean(z, room), quadratic(z), 1e-5 * std::abs(quadratic(z)));
  EXPECT_LT((process.trend_curvature() - curvature).cwiseAbs().maxCoeff(), 1e-5);
}

// Ten coefficients of a quadratic, from four points.
TEST(TrendProcess, FewGradientsReproduceAQuadratic) {
  TrendData data = bent_data(4, 4);
  const Matrix curvature{{-2.0, 0.3, 0.1}, {0.3, -1.5, 0.0}, {0.1, 0.0, -0.7}};
  const Vector slope{{0.5, -1.0, 0.2}};
  const auto quadratic = [&](const Vector& z) { return -3 + slope.dot(z) + 0.5 * z.dot(curvature * z); };
  for (Index i = 0; i < 4; ++i) {
    data.values[i] = quadratic(data.points.col(i));
    data.gradients.col(i) = slope + curvature * data.points.col(i);
  }
  data.noise_variances.setConstant(1e-9);
  data.gradient_noise_variance = 1e-9;
  const TrendCovariance covariance{.lengthscales = Vector::Ones(d), .signal = 1e-12, .quadratic = 10};
  const TrendProcess process(covariance, data);
  TrendProcess::Workspace room;
  for (const Vector& z : {Vector{{2, 0, -1}}, Vector{{-3, 4, 2}}, Vector{{0, 0, 10}}})
    EXPECT_NEAR(process.mean(z, room), quadratic(z), 1e-3 * std::abs(quadratic(z)));
}

TEST(TrendProcess, MeanHasTheGradientsItWasTold) {
  TrendData data = bent_data(9, 6);
  data.noise_variances.setConstant(1e-10);
  data.gradient_noise_variance = 1e-10;
  for (const Kind kind : {Kind::smooth, Kind::rough}) {
    const TrendProcess process(covariance_of(kind), data);
    TrendProcess::Workspace room;
    Vector gradient(d);
    for (Index i = 0; i < 6; ++i) {
      EXPECT_NEAR(process.mean_and_gradient(data.points.col(i), gradient, room), data.values[i], 1e-6);
      EXPECT_LT((gradient - data.gradients.col(i)).norm(), 1e-6);
    }
  }
}

}  // namespace
}  // namespace hunch
