#include "hunch/core/rng.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>

namespace hunch {
namespace {

TEST(Rng, PhiloxMatchesThePublishedKnownAnswers) {
  // From the known-answer vectors published with Random123 (philox4x64, 10 rounds).
  const r123::Philox4x64::ctr_type zeros{{0, 0, 0, 0}};
  const auto block = r123::Philox4x64()(zeros, {{0, 0}});
  EXPECT_EQ(block[0], 0x16554d9eca36314cULL);
  EXPECT_EQ(block[1], 0xdb20fe9d672d0fdcULL);
  EXPECT_EQ(block[2], 0xd7e772cee186176bULL);
  EXPECT_EQ(block[3], 0x7e68b68aec7ba23bULL);
}

TEST(Rng, StreamStartsWithTheBlockOfItsAddress) {
  Rng rng({7, 3, 11, Purpose::step});
  const auto block = r123::Philox4x64()({{0, 11, 0, 0}}, {{7, (1ULL << 32) | 3}});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(rng.bits(), block[i]);
  EXPECT_EQ(rng.bits(), r123::Philox4x64()({{1, 11, 0, 0}}, {{7, (1ULL << 32) | 3}})[0]);
}

TEST(Rng, FirstNumbersNeverChange) {
  // Pinned: a change here changes every user's draws.
  Rng rng({1, 0, 0, Purpose::step});
  EXPECT_EQ(rng.uniform(), 0x1.022ae4b5eb163p-2);
  EXPECT_EQ(rng.normal(), 0x1.247312eea0f67p-3);
}

TEST(Rng, EveryPartOfTheAddressChangesTheNumbers) {
  const Address address{1, 2, 3, Purpose::step};
  const std::uint64_t bits = Rng(address).bits();
  EXPECT_EQ(Rng(address).bits(), bits);
  EXPECT_NE(Rng({9, 2, 3, Purpose::step}).bits(), bits);
  EXPECT_NE(Rng({1, 9, 3, Purpose::step}).bits(), bits);
  EXPECT_NE(Rng({1, 2, 9, Purpose::step}).bits(), bits);
  EXPECT_NE(Rng({1, 2, 3, Purpose::start}).bits(), bits);
}

TEST(Rng, OtherStreamsDoNotDisturbThisOne) {
  Rng alone({5, 1, 8, Purpose::step});
  Rng among({5, 1, 8, Purpose::step});
  Rng neighbour({5, 2, 8, Purpose::step});
  for (int i = 0; i < 50; ++i) {
    neighbour.normal(3);
    EXPECT_EQ(alone.normal(), among.normal());
  }
}

TEST(Rng, NormalQuantileAgreesWithBoostToTheLastDigits) {
  for (double p :
       {1e-300, 1e-100, 1e-20, 1e-8, 1e-3, .02, .0749, .0751, .2, .4999, .5, .6, .9, .93, .999, 1 - 1e-12}) {
    const double expected = -std::sqrt(2.0) * boost::math::erfc_inv(2 * p);
    EXPECT_NEAR(normal_quantile(p), expected, 4e-15 * std::max(1.0, std::abs(expected))) << p;
  }
}

TEST(Rng, NormalMomentsAreThoseOfTheNormal) {
  // 400,000 draws: each z-score below is standard normal; |z| < 5 has a false-alarm rate of 6e-7.
  Rng rng({42, 0, 0, Purpose::test});
  const int n = 400000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    const double z = rng.normal();
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
  }
  EXPECT_LT(std::abs(sum / std::sqrt(n)), 5);
  EXPECT_LT(std::abs((squares - n) / std::sqrt(2.0 * n)), 5);
  EXPECT_LT(std::abs((fourth - 3.0 * n) / std::sqrt(96.0 * n)), 5);
}

TEST(Rng, BelowIsUniformOnItsRange) {
  // Chi-squared with 6 degrees of freedom; 39.3 is exceeded with probability 6e-7.
  Rng rng({3, 0, 0, Purpose::test});
  int counts[7] = {};
  for (int i = 0; i < 70000; ++i) ++counts[rng.below(7)];
  double chi2 = 0;
  for (int count : counts) chi2 += (count - 10000.0) * (count - 10000.0) / 10000.0;
  EXPECT_LT(chi2, 39.3);
}

}  // namespace
}  // namespace hunch
