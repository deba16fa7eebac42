#include "hunch/surrogate/trend_process.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

constexpr Index d = 3;

struct Data {
  Matrix points;
  Vector values;
  Vector noise;
};

Data bent_data(Index n) {
  Rng rng({31, 0, 0, Purpose::test});
  Data data{Matrix(d, n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    data.points.col(i) = 1.3 * rng.normal(d);
    const Vector z = data.points.col(i);
    data.values[i] = -7 - z.squaredNorm() + 0.4 * z[0] * z[1] + 0.3 * std::sin(2 * z[2]);
    data.noise[i] = 1e-4 * (1 + z.squaredNorm());
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

long double covariance_between(const TrendCovariance& c, const Vector& a, const Vector& b) {
  const LongVector x = a.cast<long double>(), y = b.cast<long double>();
  const LongVector apart = (x - y).cwiseQuotient(c.lengthscales.cast<long double>());
  const long double r = std::sqrt(5 * apart.squaredNorm()), dot = x.dot(y);
  return c.signal * std::exp(-apart.squaredNorm() / 2) + c.rough * (1 + r + r * r / 3) * std::exp(-r) +
         c.constant + c.bowl * (x.squaredNorm() / 2) * (y.squaredNorm() / 2) +
         c.quadratic * (4 * dot + dot * dot);
}

LongMatrix covariance_between(const TrendCovariance& c, const Matrix& a, const Matrix& b) {
  LongMatrix k(a.cols(), b.cols());
  for (Index i = 0; i < a.cols(); ++i)
    for (Index j = 0; j < b.cols(); ++j) k(i, j) = covariance_between(c, Vector(a.col(i)), Vector(b.col(j)));
  return k;
}

struct Dense {
  LongVector means;
  LongMatrix covariance;
};

// k(z, Z) (K + noise)^-1 y and k(z, z) - k(z, Z) (K + noise)^-1 k(Z, z), as the textbooks write them.
Dense textbook(const TrendCovariance& c, const Data& data, const Matrix& zs) {
  LongMatrix k = covariance_between(c, data.points, data.points);
  k.diagonal() += data.noise.cast<long double>();
  const LongMatrix cross = covariance_between(c, data.points, zs);
  const Eigen::FullPivLU<LongMatrix> lu(k);
  return {cross.transpose() * lu.solve(data.values.cast<long double>()),
          covariance_between(c, zs, zs) - cross.transpose() * lu.solve(cross)};
}

// Near the data and far from them.
Matrix elsewhere() {
  Rng rng({32, 0, 0, Purpose::test});
  Matrix zs(d, 8);
  for (Index i = 0; i < zs.cols(); ++i) zs.col(i) = (i < 5 ? 1.0 : 4.0) * rng.normal(d);
  return zs;
}

class TrendProcessOf : public testing::TestWithParam<Kind> {
 protected:
  TrendCovariance covariance = covariance_of(GetParam());
  Data data = bent_data(14);
  TrendProcess process{covariance, data.points, data.values, data.noise};
  Matrix zs = elsewhere();
};
INSTANTIATE_TEST_SUITE_P(Texture, TrendProcessOf, testing::Values(Kind::smooth, Kind::rough),
                         [](const auto& kind) { return kind.param == Kind::smooth ? "smooth" : "rough"; });

// The condition number of K is about 1e8 here, so that 1e-8 relative to the prior is what doubles can give.
TEST_P(TrendProcessOf, AgreesWithTheTextbookInLongDouble) {
  const Dense dense = textbook(covariance, data, zs);
  const Vector means = process.means(zs), variances = process.variances(zs);
  const TrendProcess::Joint joint = process.joint(zs);
  for (Index i = 0; i < zs.cols(); ++i) {
    const double prior = static_cast<double>(covariance_between(covariance, Vector(zs.col(i)), zs.col(i)));
    EXPECT_NEAR(means[i], static_cast<double>(dense.means[i]), 1e-8 * std::sqrt(prior));
    EXPECT_NEAR(joint.means[i], static_cast<double>(dense.means[i]), 1e-8 * std::sqrt(prior));
    EXPECT_NEAR(variances[i], static_cast<double>(dense.covariance(i, i)), 1e-8 * prior);
    for (Index j = 0; j < zs.cols(); ++j)
      EXPECT_NEAR(joint.covariance(i, j), static_cast<double>(dense.covariance(i, j)), 1e-8 * prior);
  }
}

TEST_P(TrendProcessOf, CovarianceMatrixAgreesWithItsFormula) {
  const Matrix k = trend_covariance_matrix(covariance, zs);
  const LongMatrix formula = covariance_between(covariance, zs, zs);
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
  const TrendProcess certain(covariance, 15 * data.points, data.values, Vector::Zero(14));
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
  const TrendProcess twice(covariance, points, values, Vector::Constant(42, 1e-8));
  const Vector variances = twice.variances(points);
  EXPECT_GE(variances.minCoeff(), 0);
  EXPECT_LT(variances.maxCoeff(), 1e-2 * covariance.signal);
  EXPECT_GE(twice.joint(points).covariance.diagonal().minCoeff(), 0);
  EXPECT_TRUE(twice.means(zs).allFinite());
  EXPECT_LT((twice.means(data.points) - data.values).cwiseAbs().maxCoeff(), 0.05);
}

TEST(TrendProcess, ReproducesAQuadraticFarOutsideTheData) {
  const Data data = bent_data(25);
  const Matrix curvature{{-2.0, 0.3, 0.1}, {0.3, -1.5, 0.0}, {0.1, 0.0, -0.7}};
  const Vector slope{{0.5, -1.0, 0.2}};
  const auto quadratic = [&](const Vector& z) { return -3 + slope.dot(z) + 0.5 * z.dot(curvature * z); };
  Vector values(25);
  for (Index i = 0; i < 25; ++i) values[i] = quadratic(data.points.col(i));
  const TrendCovariance covariance{.lengthscales = Vector::Ones(d), .signal = 1e-12, .quadratic = 10};
  const TrendProcess process(covariance, data.points, values, Vector::Constant(25, 1e-9));
  TrendProcess::Workspace room;
  for (const Vector& z : {Vector{{10, 0, -10}}, Vector{{-30, 40, 20}}, Vector{{0, 0, 100}}})
    EXPECT_NEAR(process.mean(z, room), quadratic(z), 1e-5 * std::abs(quadratic(z)));
  EXPECT_LT((process.trend_curvature() - curvature).cwiseAbs().maxCoeff(), 1e-5);
}

}  // namespace
}  // namespace hunch
