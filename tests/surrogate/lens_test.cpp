#include "hunch/surrogate/lens.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/moments.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/surrogate/landscape.hpp"

namespace hunch {
namespace {

const std::vector<Scale> one_of_each = {Scale::position, Scale::above, Scale::below, Scale::between};

Matrix draws(Index d, Index n) {
  Rng rng({71, 0, 0, Purpose::test});
  Matrix result(d, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j) result(j, i) = 0.5 * static_cast<double>(j) + 0.7 * rng.normal();
  result.row(1) += 0.4 * result.row(0);
  return result;
}

Vector even_weights(Index n) {
  return Vector::Constant(n, 1.0 / static_cast<double>(n));
}

Vector pulled_back(const Lens& lens, const Vector& x, const Vector& slope) {
  Vector gradient;
  lens.pull_back(x, slope, gradient);
  return gradient;
}

TEST(Lens, DrawsSeenThroughItHaveUnitCovariance) {
  const Matrix xs = draws(4, 300);
  const Lens lens(one_of_each, xs, even_weights(300));
  const Moments seen = moments(lens.look(xs));
  EXPECT_LT(seen.mean.cwiseAbs().maxCoeff(), 1e-10);
  // The covariance is widened by one part in a million, so that it is positive definite.
  EXPECT_LT((seen.covariance - Matrix::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Lens, GradientIsPulledBackThroughEveryScale) {
  const Matrix xs = draws(4, 300);
  const Lens lens(one_of_each, xs, even_weights(300));
  const Vector slope{{0.3, -1.2, 0.8, 2.0}};
  const auto value = [&](const Vector& x) {
    Vector z(4);
    lens.look(x, z);
    return slope.dot(z);
  };
  const Vector x = xs.col(7);
  const Vector gradient = pulled_back(lens, x, slope);
  for (Index j = 0; j < 4; ++j) {
    const Vector step = 1e-5 * Vector::Unit(4, j);
    EXPECT_NEAR(gradient[j], (value(x + step) - value(x - step)) / 2e-5, 1e-7 * (1 + std::abs(gradient[j])));
  }
}

TEST(Lens, GradientPushedForwardAndPulledBackIsTheSame) {
  const Matrix xs = draws(4, 300);
  for (const Lens& lens :
       {Lens(one_of_each, xs, even_weights(300)), Lens(Frame::of(Vector::Ones(4), moments(xs).covariance))}) {
    const Vector gradient{{0.3, -1.2, 0.8, 2.0}};
    const auto slope = lens.push_forward(xs.col(7), gradient);
    ASSERT_TRUE(slope);
    EXPECT_LT((pulled_back(lens, xs.col(7), *slope) - gradient).norm(), 1e-12);
  }
}

// Divided by next to nothing, rounding would become a slope that the surrogate believes.
TEST(Lens, GradientWhereACoordinateHardlyMovesIsNotUsed) {
  const Matrix xs = draws(4, 300);
  const Lens lens(one_of_each, xs, even_weights(300));
  for (Index j = 1; j < 4; ++j) {
    Vector x = xs.col(7);
    x[j] += j == 2 ? 30 : -30;
    EXPECT_FALSE(lens.push_forward(x, Vector::Ones(4))) << j;
  }
  EXPECT_FALSE(lens.push_forward(xs.col(7), Vector::Constant(4, 1e308)));
}

// Else a climb's frame would be forgotten as soon as a scale is chosen.
TEST(Lens, FrameOfPositionsIsKeptNearItsCentre) {
  const Frame frame = Frame::of(Vector{{0.2, -0.4, 1.0, 0.3}}, 1e-6 * Matrix::Identity(4, 4));
  const Lens lens(one_of_each, frame);
  const Vector away{{1.0, -2.0, 0.5, 1.5}};
  Vector z(4);
  lens.look(frame.centre + frame.factor * away, z);
  EXPECT_LT((z - away).cwiseAbs().maxCoeff(), 0.01);
}

TEST(Lens, PositionFarBeyondEveryDrawIsStillFinite) {
  const Matrix xs = draws(4, 300);
  const Lens lens(one_of_each, xs, even_weights(300));
  for (const double far : {-1e4, 1e4}) {
    Vector z(4);
    lens.look(Vector::Constant(4, far), z);
    EXPECT_TRUE(z.allFinite());
    EXPECT_TRUE(pulled_back(lens, Vector::Constant(4, far), Vector::Ones(4)).allFinite());
  }
}

// A likelihood that is quadratic in tau bends in log tau: the choice must see it, and predict better for it.
TEST(Landscape, ParameterIsSeenOnTheScaleThatPredictsBetter) {
  const Matrix xs = draws(2, 60);
  const auto log_likelihood = [](const Vector& x) {
    return -0.5 * std::pow(std::exp(x[1]) - 2, 2) - 0.3 * std::pow(x[0] - std::exp(x[1]), 2);
  };
  std::vector<Lesson> lessons;
  for (Index i = 0; i < 60; ++i) lessons.push_back({xs.col(i), log_likelihood(xs.col(i)), std::nullopt, 0});
  const Moments shape = moments(xs);
  Landscape as_positions(Frame::of(shape.mean, shape.covariance));
  as_positions.add(lessons);
  as_positions.refit(20);
  Landscape chosen = as_positions;
  chosen.choose_scales({Scale::position, Scale::above}, xs, even_weights(60), 20);
  const Matrix fresh = draws(2, 200).rightCols(140);
  double squares_as_positions = 0;
  double squares_chosen = 0;
  const Vector before = as_positions.values(fresh);
  const Vector after = chosen.values(fresh);
  for (Index i = 0; i < fresh.cols(); ++i) {
    squares_as_positions += std::pow(before[i] - log_likelihood(fresh.col(i)), 2);
    squares_chosen += std::pow(after[i] - log_likelihood(fresh.col(i)), 2);
  }
  EXPECT_LT(squares_chosen, 0.25 * squares_as_positions);
}

// And one that is quadratic in log tau must be left as it is.
TEST(Landscape, PositionThatPredictsWellIsKept) {
  const Matrix xs = draws(2, 60);
  std::vector<Lesson> lessons;
  for (Index i = 0; i < 60; ++i)
    lessons.push_back({xs.col(i), -0.5 * xs.col(i).squaredNorm(), std::nullopt, 0});
  const Moments shape = moments(xs);
  Landscape landscape(Frame::of(shape.mean, shape.covariance));
  landscape.add(lessons);
  landscape.refit(20);
  const Vector x{{0.3, 0.9}};
  landscape.choose_scales({Scale::position, Scale::above}, xs, even_weights(60), 20);
  EXPECT_NEAR(landscape.values(Matrix(x))[0], -0.5 * x.squaredNorm(), 1e-2);
}

}  // namespace
}  // namespace hunch
