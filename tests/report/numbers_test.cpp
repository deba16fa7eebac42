#include <gmock/gmock.h>

#include <cmath>

#include "hunch/report/figure.hpp"
#include "hunch/report/number_words.hpp"
#include "hunch/report/regions.hpp"

namespace hunch {
namespace {

TEST(NumberWords, ThousandsAreGroupedAlsoBelowZero) {
  EXPECT_EQ(counted(std::int64_t{0}), "0");
  EXPECT_EQ(counted(std::int64_t{999}), "999");
  EXPECT_EQ(counted(std::int64_t{1000}), "1,000");
  EXPECT_EQ(counted(std::int64_t{-123456}), "-123,456");
  EXPECT_EQ(counted(std::int64_t{12345678}), "12,345,678");
}

TEST(NumberWords, TicksAreRoundAndInside) {
  EXPECT_THAT(round_numbers({0, 1}, 4), testing::ElementsAre(0, 0.2, testing::DoubleNear(0.4, 1e-12),
                                                             testing::DoubleNear(0.6, 1e-12), 0.8, 1));
  for (const Range range :
       {Range{-3.3, 8.1}, Range{1e-9, 3e-9}, Range{1e6, 1.0001e6}, Range{-1e300, 1e300}}) {
    const std::vector<double> ticks = round_numbers(range, 5);
    EXPECT_GE(ticks.size(), 2U);
    for (const double tick : ticks) {
      EXPECT_GE(tick, range.low - 1e-9 * range.width());
      EXPECT_LE(tick, range.high + 1e-9 * range.width());
    }
  }
}

TEST(NumberWords, AShortAxisHasTwoTicksToo) {
  for (const Range range : {Range{1.3, 2.9}, Range{1.4, 8.7}, Range{2.6, 19.2}, Range{0.19, 0.41}})
    for (const int about : {1, 2}) EXPECT_GE(round_numbers(range, about).size(), 2U) << range.low;
}

TEST(NumberWords, AnRhatBeyondTheThresholdIsNotRoundedToIt) {
  EXPECT_EQ(rhat_in_words(1.0099), "1.010");
  EXPECT_EQ(rhat_in_words(1.0102), "1.0102");
  EXPECT_EQ(rhat_in_words(1.01004), "1.01004");
  EXPECT_EQ(rhat_in_words(1.0163), "1.016");
  EXPECT_EQ(rhat_in_words(std::nullopt), fixed_digits(std::nullopt, 3));
}

TEST(Plot, AConstantGetsRoomAndNoInfinityReachesAPicture) {
  EXPECT_GT(with_room({5, 5}, 0.1).width(), 0);
  EXPECT_GT(with_room({0, 0}, 0.1).width(), 0);
  EXPECT_TRUE(std::isfinite(with_room({-INFINITY, 1}, 0.1).width()));
}

TEST(Plot, ANameIsNeverCutInsideACharacter) {
  EXPECT_EQ(short_name("\xC3\xA4\xC3\xA4\xC3\xA4", 3), "\xC3\xA4\xE2\x80\xA6");
  EXPECT_EQ(short_name("short", 5), "short");
}

TEST(Regions, HoldEveryPointOnceAndEqualPointsTogether) {
  std::vector<double> at, numbers;
  for (int i = 0; i < 200; ++i) {
    at.push_back(i % 50);
    numbers.push_back(i % 50 >= 25 ? 1 : 0);
  }
  const std::vector<Region> regions = regions_of(at, numbers, 10);
  std::int64_t count = 0;
  for (const Region& region : regions) {
    count += region.count;
    EXPECT_EQ(region.count % 4, 0);
  }
  EXPECT_EQ(count, 200);
  EXPECT_EQ(regions.front().mean, 0);
  EXPECT_EQ(regions.back().mean, 1);
  EXPECT_GT(contrast(regions), 0.4);
  EXPECT_EQ(contrast(regions_of(std::vector<double>(50, 1.0), numbers, 10)), 0);
}

}  // namespace
}  // namespace hunch
