#include "hunch/draws/parameter_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hunch {

using ::testing::ElementsAre;
using Names = std::vector<std::string>;

TEST(StanNames, OrdinaryNamesAreLeftAlone) {
  EXPECT_THAT(stan_names({"beta", "R0", "log_sigma", "x1"}), ElementsAre("beta", "R0", "log_sigma", "x1"));
}

TEST(StanNames, CompleteArraysKeepTheirIndices) {
  EXPECT_THAT(stan_names({"a", "theta[1]", "theta[2]", "b"}), ElementsAre("a", "theta.1", "theta.2", "b"));
  EXPECT_THAT(stan_names({"x.1", "x.2"}), ElementsAre("x.1", "x.2"));
  EXPECT_THAT(stan_names({"m[1,1]", "m[2,1]", "m[1, 2]", "m[2,2]"}),
              ElementsAre("m.1.1", "m.2.1", "m.1.2", "m.2.2"));
}

// Readers size an array by its largest index and take the columns in order: a gap would be filled with
// another parameter's draws, or with zeros.
TEST(StanNames, WhatIsNotACompleteArrayIsNotCalledOne) {
  EXPECT_THAT(stan_names({"theta[2]", "theta[3]"}), ElementsAre("theta_2", "theta_3"));
  EXPECT_THAT(stan_names({"theta[0]", "theta[1]"}), ElementsAre("theta_0", "theta_1"));
  EXPECT_THAT(stan_names({"theta[2]", "theta[1]"}), ElementsAre("theta_2", "theta_1"));
  EXPECT_THAT(stan_names({"theta[1]", "b", "theta[2]"}), ElementsAre("theta_1", "b", "theta_2"));
  EXPECT_THAT(stan_names({"m[1,1]", "m[1,2]", "m[2,1]", "m[2,2]"}),
              ElementsAre("m_1_1", "m_1_2", "m_2_1", "m_2_2"));
  EXPECT_THAT(stan_names({"t[1]", "t[1,2]"}), ElementsAre("t_1", "t_1_2"));
  EXPECT_THAT(stan_names({"v1.2", "k[a]", "k[]", "[1]", ".1", "z[99999999999999999999]"}),
              ElementsAre("v1_2", "k_a", "k", "p_1", "p_1_2", "z_99999999999999999999"));
}

TEST(StanNames, HostileNamesBecomeWordsOfStanAndR) {
  EXPECT_THAT(
      stan_names({"a,b", "x\"y", "µ", "<b>", "βρ", "Δ", "1st", "", "\n", "日本", "if", "TRUE"}),
      ElementsAre("a_b", "x_y", "mu", "b", "betarho", "Delta", "p_1st", "p", "p_2", "p_3", "if_", "TRUE_"));
}

TEST(StanNames, NothingLooksLikeASamplersColumn) {
  EXPECT_THAT(stan_names({"lp__", "energy__", "__", "_x"}), ElementsAre("lp", "energy", "p", "x"));
}

TEST(StanNames, CollisionsGetNumbersThatAreFree) {
  EXPECT_THAT(stan_names({"a b", "a_b", "a,b", "a_b_2"}), ElementsAre("a_b", "a_b_2", "a_b_3", "a_b_2_2"));
  EXPECT_THAT(stan_names({"theta", "theta[1]", "theta[2]"}), ElementsAre("theta", "theta_2.1", "theta_2.2"));
  EXPECT_THAT(stan_names({"same", "same"}), ElementsAre("same", "same_2"));
}

TEST(NetcdfNames, OnlyWhatNetcdfRefusesIsChanged) {
  EXPECT_THAT(netcdf_names({"theta[1]", "a,b", "x\"y", "µ", "<b>", "a/b", "t ", "", "\xff"}, {}),
              ElementsAre("theta[1]", "a,b", "x\"y", "µ", "_<b>", "a_b", "t_", "_", "__2"));
}

TEST(NetcdfNames, ADimensionsNameIsNotTakenAndLongOnesAreCutBetweenCharacters) {
  EXPECT_THAT(netcdf_names({"chain", "draw", "x"}, {"chain", "draw"}), ElementsAre("chain_2", "draw_2", "x"));
  std::string name = "x";
  for (int i = 0; i < 300; ++i) name += "µ";
  const Names cut = netcdf_names({name}, {});
  EXPECT_EQ(cut[0].size(), 199u);
  EXPECT_EQ(valid_utf8(cut[0]), cut[0]);
}

TEST(Utf8, WhatIsNotUtf8IsReplacedByteByByte) {
  EXPECT_EQ(valid_utf8("aµ日𝜃"), "aµ日𝜃");
  EXPECT_EQ(valid_utf8("\xff\xc3"), "??");
  EXPECT_EQ(valid_utf8(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "??");            // overlong /
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "???");       // surrogate
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "????");  // beyond Unicode
  EXPECT_EQ(valid_utf8("\xe2\x82 "), "?? ");          // cut short
}

}  // namespace hunch
