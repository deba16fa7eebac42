#include "hunch/target/transform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

const std::vector<Support> supports = {
    {-infinity, infinity}, {0, infinity}, {1, infinity}, {-3, infinity}, {-infinity, 2},
    {-infinity, 0},        {0, 1},        {-1, 4},       {0.2, 1},       {1e6, 1e6 + 1}};

TEST(Transform, KindFollowsFromTheSupport) {
  EXPECT_TRUE(std::holds_alternative<Unchanged>(transform_onto({-infinity, infinity})));
  EXPECT_TRUE(std::holds_alternative<LogAbove>(transform_onto({1, infinity})));
  EXPECT_TRUE(std::holds_alternative<LogBelow>(transform_onto({-infinity, 1})));
  EXPECT_TRUE(std::holds_alternative<Logit>(transform_onto({0, 1})));
}

TEST(Transform, KnownValues) {
  EXPECT_DOUBLE_EQ(theta(LogAbove{1}, std::log(2.0)), 3);
  EXPECT_DOUBLE_EQ(theta(LogBelow{1}, std::log(2.0)), 0.5);
  EXPECT_DOUBLE_EQ(theta(Logit{-1, 3}, 0), 1);
  EXPECT_DOUBLE_EQ(theta(Logit{0, 4}, std::log(3.0)), 3);
}

TEST(Transform, RoundTripReturnsThePosition) {
  for (const Support& support : supports) {
    const Transform transform = transform_onto(support);
    // Near a bound of size b, theta - b carries an error of b * 1e-16.
    const double size = std::isfinite(support.lower) ? std::abs(support.lower) : std::abs(support.upper);
    for (const double p : {-5.0, -1.0, 0.0, 0.3, 4.0}) {
      const double error = 1e-15 + 4e-16 * (std::isfinite(size) ? size : 0) * std::exp(std::abs(p)) * 2;
      EXPECT_NEAR(position(transform, theta(transform, p)), p, 20 * error)
          << support.lower << " " << support.upper;
    }
  }
}

TEST(Transform, DerivativesAreThoseOfTheta) {
  for (const Support& support :
       {supports[0], supports[1], supports[3], supports[4], supports[6], supports[7]}) {
    const Transform transform = transform_onto(support);
    for (const double p : {-4.0, -0.7, 0.0, 1.1, 5.0}) {
      const double h = 1e-3;
      const auto slope = [&](auto f) {
        return (8 * (f(p + h) - f(p - h)) - (f(p + 2 * h) - f(p - 2 * h))) / (12 * h);
      };
      const double expected = slope([&](double x) { return theta(transform, x); });
      EXPECT_NEAR(theta_derivative(transform, p), expected, 1e-10 * (1 + expected));
      EXPECT_NEAR(log_jacobian(transform, p), std::log(expected), 1e-9);
      EXPECT_NEAR(log_jacobian_derivative(transform, p),
                  slope([&](double x) { return log_jacobian(transform, x); }), 1e-10);
    }
  }
}

TEST(Transform, FarPositionsStayFiniteAndStrictlyInside) {
  for (const Support& support : supports) {
    const Transform transform = transform_onto(support);
    for (const double size : {30.0, 40.0, 400.0, 700.0, 750.0, 1e6, std::numeric_limits<double>::max()})
      for (const double p : {-size, size}) {
        const double x = theta(transform, p);
        EXPECT_TRUE(std::isfinite(x) && support.contains(x)) << x << " at " << p;
        EXPECT_TRUE(std::isfinite(position(transform, x)));
        EXPECT_TRUE(std::isfinite(log_jacobian(transform, p)));
        EXPECT_TRUE(std::isfinite(log_jacobian_derivative(transform, p)));
        EXPECT_FALSE(std::isnan(theta_derivative(transform, p)));
      }
  }
}

TEST(Transform, PlaceKeepsTheDigitsThatThetaHasLost) {
  EXPECT_EQ(place(LogAbove{0}, -800).log_theta, -800);
  EXPECT_NEAR(place(Logit{0, 1}, 100).log_one_minus_theta, -100, 1e-12);
  EXPECT_NEAR(place(Logit{0, 5}, -100).log_theta, std::log(5.0) - 100, 1e-12);
  const Place inner = place(Logit{0.2, 0.9}, 0.4);
  EXPECT_NEAR(inner.log_theta, std::log(inner.theta), 1e-15);
  EXPECT_NEAR(inner.log_one_minus_theta, std::log(1 - inner.theta), 1e-15);
}

}  // namespace
}  // namespace hunch
