#include "hunch/diagnostics/tails.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

// Quantiles of the generalised Pareto distribution with scale 1, in the middle of n equal shares.
Vector pareto_quantiles(double shape, Index n) {
  Vector x(n);
  for (Index i = 0; i < n; ++i) {
    const double beyond = 1 - (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    x[i] = shape == 0 ? -std::log(beyond) : (std::pow(beyond, -shape) - 1) / shape;
  }
  return x;
}

// R: n <- 60; p <- ((1:n) - .5) / n; x <- if (k == 0) -log(1 - p) else ((1 - p)^-k - 1) / k
//    loo::gpdfit(x, wip = FALSE)$k      (loo 2.5.1)
TEST(ParetoShape, IsThatOfLoo) {
  EXPECT_NEAR(*pareto_shape(pareto_quantiles(-0.3, 60)), -0.251295942801476, 1e-12);
  EXPECT_NEAR(*pareto_shape(pareto_quantiles(0, 60)), 0.0359377425784189, 1e-12);
  EXPECT_NEAR(*pareto_shape(pareto_quantiles(0.4, 60)), 0.414191372520411, 1e-12);
  EXPECT_NEAR(*pareto_shape(pareto_quantiles(0.9, 60)), 0.886552351606078, 1e-12);
}

TEST(ParetoShape, DependsNeitherOnScaleNorOnOrder) {
  const Vector x = pareto_quantiles(0.4, 60);
  EXPECT_NEAR(*pareto_shape(1e6 * x.reverse()), *pareto_shape(x), 1e-9);
}

TEST(ParetoShape, NeedsFiveDifferentNumbers) {
  EXPECT_FALSE(pareto_shape(Vector::LinSpaced(4, 1, 2)));
  EXPECT_FALSE(pareto_shape(Vector::Ones(20)));
  EXPECT_FALSE(pareto_shape(Vector::Constant(20, std::numeric_limits<double>::quiet_NaN())));
}

Matrix draws_of(double (*draw)(Rng&)) {
  Rng rng({7, 0, 0, Purpose::test});
  Matrix x(1000, 4);
  for (double& value : x.reshaped()) value = draw(rng);
  return x;
}

// Student's t has shape 1 / degrees of freedom; with 190 exceedances the estimate's sd is below .1, and one
// seed in more than a thousand would fail each of these by itself.
TEST(TailShape, TellsLightTailsFromHeavyOnes) {
  const auto normal = [](Rng& rng) { return rng.normal(); };
  const auto one_sided = [](Rng& rng) { return std::pow(rng.uniform(), -0.7); };
  EXPECT_LT(tail_shape(draws_of(normal))->shape, 0.25);
  EXPECT_GT(tail_shape(draws_of(one_sided))->shape, 0.4);
  EXPECT_DOUBLE_EQ(tail_shape(-draws_of(one_sided))->shape, tail_shape(draws_of(one_sided))->shape);
}

// Of 200 sets of 400 draws of a Pareto distribution; the claim is right to a quarter.
TEST(TailShape, ErrorIsThatOfRepeatedDraws) {
  constexpr int sets = 200;
  Rng rng({8, 0, 0, Purpose::test});
  double sum = 0, squares = 0, claimed = 0;
  for (int set = 0; set < sets; ++set) {
    Matrix x(100, 4);
    for (double& value : x.reshaped()) value = std::pow(rng.uniform(), -0.25);  // its left tail ends
    const TailShape tail = *tail_shape(x);
    sum += tail.shape / sets;
    squares += tail.shape * tail.shape / sets;
    claimed += tail.error / sets;
  }
  const double sd = std::sqrt(squares - sum * sum);
  EXPECT_NEAR(sum, 0.25, 0.08);
  EXPECT_GT(claimed, 0.8 * sd);
  EXPECT_LT(claimed, 1.25 * sd);
}

TEST(TailShape, HasNoValueForFewDrawsOrNoNumbers) {
  EXPECT_FALSE(tail_shape(Matrix::Random(5, 4)));
  Matrix broken = Matrix::Random(100, 4);
  broken(3, 1) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(tail_shape(broken));
}

TEST(LargestShapeForSd, IsSmallerForFewerDraws) {
  EXPECT_DOUBLE_EQ(largest_shape_for_sd(1000000), 0.35);
  EXPECT_DOUBLE_EQ(largest_shape_for_sd(100), 0.25);
}

}  // namespace
}  // namespace hunch
