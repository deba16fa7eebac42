#include "hunch/core/lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

TEST(Lanes, ExponentialIsRightToTwoUnitsInTheLastPlace) {
  Rng rng({1, 0, 0, Purpose::test});
  for (int i = 0; i < 100000; ++i) {
    double x[lane_width] = {0, -700 * rng.uniform(), -std::exp(-30 * rng.uniform()), -5 * rng.uniform()};
    Lane lane = *lanes_at(x);
    exponentiate(lane);
    for (int k = 0; k < lane_width; ++k) {
      const double exact = std::exp(x[k]);
      ASSERT_LE(std::abs(lane[k] - exact), 2 * (std::nextafter(exact, 2) - exact)) << x[k];
    }
  }
}

TEST(Lanes, SumIsOfAllFour) {
  const double x[lane_width] = {1, 20, 300, 4000};
  EXPECT_EQ(sum_of(*lanes_at(x)), 4321);
}

}  // namespace
}  // namespace hunch
