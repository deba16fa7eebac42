// The local models of a climb: what they recover exactly, and that deep values do not disturb them.
#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/explore/local_model.hpp"
#include "hunch/explore/tilted_quadratic.hpp"

namespace hunch {
namespace {

Matrix curvature() {
  return Matrix{{-4, 1, 0}, {1, -2, 0.5}, {0, 0.5, -1}};
}

double quadratic(const Vector& z) {
  return 3 + Vector{{1, -2, 0.5}}.dot(z) + 0.5 * z.dot(curvature() * z);
}

std::vector<SearchPoint> sample(Index n, const std::function<double(const Vector&)>& f, double width = 1) {
  Rng rng({5, 0, 0, Purpose::test});
  std::vector<SearchPoint> points;
  for (Index i = 0; i < n; ++i) {
    const Vector z = width * rng.normal(3);
    points.push_back({z, f(z), std::nullopt});
  }
  return points;
}

SearchRegion around_best(const std::vector<SearchPoint>& points) {
  const auto best = std::max_element(points.begin(), points.end(),
                                     [](const auto& a, const auto& b) { return a.value < b.value; });
  return {best->z, Matrix::Identity(3, 3)};
}

// A fit tells the next one how good it was.
LocalModel fitted(const std::vector<SearchPoint>& points, int fits = 5) {
  ModelErrors errors;
  const SearchRegion region = around_best(points);
  const double scale = depth_scale(depths(points), 3);
  for (int i = 1; i < fits; ++i) LocalModel(points, region, scale, 10, errors);
  return LocalModel(points, region, scale, 10, errors);
}

TEST(LocalModel, RecoversAQuadraticBesideValuesThatOverflow) {
  std::vector<SearchPoint> points = sample(20, quadratic);
  points.push_back({Vector{{30, 0, 0}}, -1e25, std::nullopt});
  points.push_back({Vector{{0, 30, 0}}, -infinity, std::nullopt});
  points.push_back({Vector{{0, 0, 30}}, -1e200, std::nullopt});
  const LocalModel fit = fitted(points);
  EXPECT_LT((fit.quadratic().hessian - curvature()).norm(), 0.02);
  EXPECT_LT(fit.sd(Vector{{0.5, 0.5, 0.5}}), 0.1);
}

TEST(LocalModel, ThreeGradientsAreWorthTenValues) {
  std::vector<SearchPoint> points = sample(4, quadratic);
  for (SearchPoint& point : points) point.gradient = Vector{{1, -2, 0.5}} + curvature() * point.z;
  const LocalModel fit = fitted(points);
  EXPECT_LT((fit.quadratic().hessian - curvature()).norm(), 0.1);
}

TEST(LocalModel, KnowsThatFewPointsSayLittle) {
  const std::vector<SearchPoint> points = sample(5, quadratic);
  ModelErrors errors;
  const LocalModel fit(points, around_best(points), depth_scale(depths(points), 3), 10, errors);
  EXPECT_GT(fit.curvature_sd(Vector::Unit(3, 0)), 1);
}

// The Taylor remainder of a banana: the quadratic alone predicts new points ten times worse.
TEST(LocalModel, ResidualLearnsWhatAQuadraticMisses) {
  const auto banana = [](const Vector& z) {
    return -0.5 * z[0] * z[0] - 5 * std::pow(z[1] - z[0] * z[0], 2) - 0.5 * z[2] * z[2];
  };
  const std::vector<SearchPoint> points = sample(60, banana, 0.7);
  const LocalModel fit = fitted(points);
  double squares = 0;
  double plain = 0;
  double claimed = 0;
  Rng rng({6, 0, 0, Purpose::test});
  const SearchRegion region = around_best(points);
  const double best = banana(region.origin);
  for (int i = 0; i < 200; ++i) {
    const Vector y = 0.4 * rng.normal(3);
    const double exact = banana(region.origin + y) - best;
    squares += std::pow(fit.mean(y) - exact, 2);
    plain += std::pow(fit.quadratic()(y) - exact, 2);
    claimed += std::pow(fit.sd(y), 2);
  }
  EXPECT_LT(squares, 0.1 * plain);
  EXPECT_GT(claimed, 0.2 * squares);
  EXPECT_LT(claimed, 20 * squares);
}

TEST(LocalModel, ExpansionHasTheSlopeAndTheCurvatureOfTheMean) {
  const std::vector<SearchPoint> points =
      sample(40, [](const Vector& z) { return -z.squaredNorm() + 0.5 * std::sin(3 * z[0]) * z[1]; });
  const LocalModel fit = fitted(points);
  const Vector y{{0.3, -0.2, 0.1}};
  const Quadratic at = fit.expansion(y);
  EXPECT_NEAR(at(y), fit.mean(y), 1e-9);
  constexpr double h = 1e-4;
  for (Index j = 0; j < 3; ++j) {
    const Vector step = h * Vector::Unit(3, j);
    const double slope = (fit.mean(y + step) - fit.mean(y - step)) / (2 * h);
    const double bend = (fit.mean(y + step) - 2 * fit.mean(y) + fit.mean(y - step)) / (h * h);
    EXPECT_NEAR((at.gradient + at.hessian * y)[j], slope, 1e-5 * (1 + std::abs(slope)));
    EXPECT_NEAR(at.hessian(j, j), bend, 1e-3 * (1 + std::abs(bend)));
  }
  EXPECT_GE(fit.mean(fit.maximiser(1)),
            fit.mean(maximise_in_ball(fit.expansion(Vector::Zero(3)).gradient,
                                      fit.expansion(Vector::Zero(3)).hessian, 1)) -
                1e-9);
}

TEST(MaximiseInBall, IsTheNewtonStepInsideAndTheBestOfTheBoundaryOutside) {
  const Vector slope{{1, -2, 0.5}};
  const Vector inside = maximise_in_ball(slope, curvature(), 10);
  EXPECT_LT((curvature() * inside + slope).norm(), 1e-9);
  Matrix saddle = curvature();
  saddle(0, 0) = 3;
  for (const Matrix& hessian : {curvature(), saddle, Matrix(Matrix::Zero(3, 3))}) {
    const Vector y = maximise_in_ball(slope, hessian, 0.2);
    EXPECT_NEAR(y.norm(), 0.2, 1e-6);
    const auto value = [&](const Vector& at) { return slope.dot(at) + 0.5 * at.dot(hessian * at); };
    Rng rng({9, 0, 0, Purpose::test});
    for (int i = 0; i < 300; ++i) {
      const Vector direction = rng.normal(3);
      EXPECT_LE(value(0.2 * direction / direction.norm()), value(y) + 1e-9);
    }
  }
  // No slope along the only rise: either end of it.
  const Vector y = maximise_in_ball(Vector{{0, 1, 0}}, Vector{{2, -1, -1}}.asDiagonal(), 1);
  EXPECT_NEAR(y.norm(), 1, 1e-6);
  EXPECT_GT(std::abs(y[0]), 0.5);
}

// A linear regression of 40 points: two coefficients and the logarithm of the noise's sd.
double regression(const Vector& theta) {
  return -40 * theta[2] - 0.5 * std::exp(-2 * theta[2]) *
                              (5 + 30 * std::pow(theta[0] - 1, 2) + 10 * std::pow(theta[1] + 1, 2));
}

TEST(TiltedQuadratic, RecoversARegressionWithUnknownNoiseFromFarAway) {
  const double width = 10;  // of a prior on the logarithm: values down to -1e20
  const std::vector<SearchPoint> points = sample(20, [&](const Vector& z) {
    return regression(Vector{{z[0], z[1], width * z[2]}});
  });
  std::vector<double> errors = depths(points);
  for (double& error : errors) error += 1000;
  const Vector widths{{1, 1, width}};
  const auto fit = TiltedQuadratic::fit(points, points[0].z, errors, widths, std::nullopt);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->axis(), 2);
  EXPECT_NEAR(fit->rate(), -2 * width, 0.01);
  const Vector z{{0.4, -0.2, 0.05}};
  EXPECT_NEAR(fit->value(z), regression(Vector{{0.4, -0.2, 0.5}}), 1);
  for (Index j = 0; j < 3; ++j) {
    const Vector h = 1e-6 * Vector::Unit(3, j);
    EXPECT_NEAR(fit->gradient(z)[j], (fit->value(z + h) - fit->value(z - h)) / 2e-6,
                1e-4 * (1 + std::abs(fit->gradient(z)[j])));
    EXPECT_LT((fit->hessian(z).col(j) - (fit->gradient(z + h) - fit->gradient(z - h)) / 2e-6).norm(),
              1e-4 * (1 + fit->hessian(z).col(j).norm()));
  }
}

TEST(TiltedQuadratic, DoesNotClaimToFitSomethingElse) {
  const std::vector<SearchPoint> points =
      sample(40, [](const Vector& z) { return 100 * std::sin(7 * z[0]) + 100 * std::cos(9 * z[1] * z[2]); });
  std::vector<double> errors(points.size(), 1.0);
  EXPECT_FALSE(TiltedQuadratic::fit(points, points[0].z, errors, Vector::Ones(3), std::nullopt));
}

}  // namespace
}  // namespace hunch
