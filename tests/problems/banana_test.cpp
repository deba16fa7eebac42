#include "hunch/problems/banana.hpp"

#include <numbers>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "problems/finite_difference.hpp"

namespace hunch {
namespace {

TEST(Banana, MassAndMeanAreThoseOfTheDensityByQuadrature) {
  // The trapezoid rule converges exponentially for a density that vanishes at the ends of the grid.
  double mass = 0, x_sum = 0, y_sum = 0;
  const double h = 0.02;
  for (double x = -6; x <= 6; x += h) {
    for (double y = -8; y <= 45; y += h) {
      const double p =
          std::exp(banana_log_density(Eigen::Vector2d(x, y), Want::value).log_likelihood) * h * h;
      mass += p;
      x_sum += p * x;
      y_sum += p * y;
    }
  }
  EXPECT_NEAR(mass, std::numbers::pi / std::sqrt(2.0), 1e-10);
  EXPECT_NEAR(x_sum / mass, 0.2, 1e-10);
  EXPECT_NEAR(y_sum / mass, 0.54, 1e-10);
  EXPECT_NEAR((banana_mean() - Vector(Eigen::Vector2d(0.2, 0.54))).norm(), 0, 1e-15);
}

TEST(Banana, GradientIsThatOfTheValue) {
  Rng rng(Address{11, 0, 0, Purpose::test});
  for (int k = 0; k < 40; ++k) {
    const Vector theta = (k < 20 ? 1.0 : 8.0) * rng.normal(2);
    const auto value = [](const Vector& t) { return banana_log_density(t, Want::value).log_likelihood; };
    const Exact exact = banana_log_density(theta, Want::value_and_gradient);
    const Vector difference = finite_difference(value, theta, 1e-3);
    EXPECT_LT((*exact.gradient - difference).norm(), 1e-8 * (1 + std::abs(exact.log_likelihood)));
  }
}

TEST(Banana, ValueBeyondAllUseIsMinusInfinityNotNan) {
  for (const double x : {1e60, -1e300, infinity, std::nan("")}) {
    const Exact exact = banana_log_density(Eigen::Vector2d(x, 1), Want::value_and_gradient);
    EXPECT_EQ(exact.log_likelihood, -infinity);
    EXPECT_FALSE(exact.gradient);
  }
}

}  // namespace
}  // namespace hunch
