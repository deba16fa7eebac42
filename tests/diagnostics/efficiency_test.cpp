#include "hunch/diagnostics/efficiency.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace hunch {
namespace {

TEST(Esjd, RejectionsCountAsJumpsOfLengthZero) {
  Matrix chain(5, 2);
  chain << 0, 0, 1, 2, 1, 2, 1, 2, 4, 0;
  const Vector jumps = esjd(chain);
  ASSERT_EQ(jumps.size(), 2);
  EXPECT_DOUBLE_EQ(jumps[0], (1 + 0 + 0 + 9) / 4.0);
  EXPECT_DOUBLE_EQ(jumps[1], (4 + 0 + 0 + 4) / 4.0);
}

TEST(Esjd, OneDrawHasNoJump) {
  EXPECT_THROW(esjd(Matrix::Zero(1, 2)), std::logic_error);
}

TEST(StageCounts, RatesAreOfTheRightWhole) {
  const StageCounts counts{.iterations = 2000, .screened_out = 1500, .evaluated = 500, .accepted = 400};
  EXPECT_DOUBLE_EQ(counts.acceptance_rate(), 0.2);
  EXPECT_DOUBLE_EQ(counts.stage1_rate(), 0.25);
  EXPECT_DOUBLE_EQ(counts.stage2_rate(), 0.8);
  EXPECT_DOUBLE_EQ(counts.evaluation_percent(), 25);
  EXPECT_EQ(counts.evaluations_saved(), 1500);
}

TEST(StageCounts, SumAddsEveryCount) {
  StageCounts sum{.iterations = 10, .screened_out = 6, .evaluated = 4, .accepted = 3};
  sum += {.iterations = 100, .screened_out = 50, .evaluated = 50, .accepted = 20};
  EXPECT_EQ(sum.iterations, 110);
  EXPECT_EQ(sum.screened_out, 56);
  EXPECT_EQ(sum.evaluated, 54);
  EXPECT_EQ(sum.accepted, 23);
}

TEST(StageCounts, RateOfNothingIsNotANumber) {
  EXPECT_TRUE(std::isnan(StageCounts{}.acceptance_rate()));
  EXPECT_TRUE(std::isnan(StageCounts{}.stage2_rate()));
}

}  // namespace
}  // namespace hunch
