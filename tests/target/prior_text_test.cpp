#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/types.hpp"
#include "hunch/target/prior.hpp"
#include "target/examples.hpp"

namespace hunch {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// What the door says to a text, or "accepted".
std::string complaint(const std::string& text) {
  try {
    parse_prior(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PriorText, EveryPriorReadsBackAsItself) {
  for (const std::string& text : all_priors) {
    EXPECT_EQ(to_text(parse_prior(text)), text);
    EXPECT_EQ(parse_prior(to_text(parse_prior(text))), parse_prior(text)) << text;
  }
}

TEST(PriorText, NumbersReadBackBitForBit) {
  const Prior prior{Normal{1.0 / 3, 5e-324}, -0.1, 1e300 / 7};
  EXPECT_THAT(to_text(prior), HasSubstr("0.3333333333333333"));
  const Prior wide{StudentT{0.1, -1e-300, 2.0 / 3}, -0.1, 1e300 / 7};
  EXPECT_EQ(parse_prior(to_text(wide)), wide);
}

TEST(PriorText, BlanksDoNotMatter) {
  const Prior expected{Normal{2, 3}, 1.0, 4.0};
  EXPECT_EQ(parse_prior("  normal ( 2,3 ,lower = 1, upper=4 ) "), expected);
  EXPECT_EQ(parse_prior("flat()"), Prior{Flat{}});
}

TEST(PriorText, ArgumentsLandInTheirFields) {
  EXPECT_EQ(parse_prior("student_t(4, 1, 2)"), (Prior{StudentT{.dof = 4, .location = 1, .scale = 2}}));
  EXPECT_EQ(parse_prior("gamma(4, 2)"), (Prior{Gamma{.shape = 4, .rate = 2}}));
  EXPECT_EQ(parse_prior("inverse_gamma(4, 2)"), (Prior{InverseGamma{.shape = 4, .scale = 2}}));
  EXPECT_EQ(parse_prior("flat(upper=2)"), (Prior{Flat{}, std::nullopt, 2.0}));
}

TEST(PriorText, UnknownFamilyIsToldTheNearestAndAll) {
  EXPECT_THAT(complaint("lognormall(0, 1)"),
              AllOf(HasSubstr("unknown family \"lognormall\""), HasSubstr("did you mean lognormal?"),
                    HasSubstr("student_t(dof, location, scale)"), HasSubstr("inverse_gamma(shape, scale)"),
                    HasSubstr("flat")));
  EXPECT_THAT(complaint("Normal(0, 1)"), HasSubstr("did you mean normal?"));
  EXPECT_THAT(complaint("half_cauchy(1)"), HasSubstr("did you mean halfcauchy?"));
}

TEST(PriorText, WrongNumberOfArgumentsIsToldTheSignature) {
  EXPECT_THAT(complaint("normal(2)"),
              AllOf(HasSubstr("normal(mean, sd)"), HasSubstr("2 arguments"), HasSubstr("got 1")));
  EXPECT_THAT(complaint("exponential"), AllOf(HasSubstr("exponential(rate)"), HasSubstr("got 0")));
  EXPECT_THAT(complaint("flat(1)"), HasSubstr("got 1"));
  EXPECT_THAT(complaint("gamma(1, 2, 3)"), AllOf(HasSubstr("gamma(shape, rate)"), HasSubstr("got 3")));
}

TEST(PriorText, MalformedTextIsToldWhatIsWrong) {
  EXPECT_THAT(complaint(""), HasSubstr("expected a family"));
  EXPECT_THAT(complaint("(1, 2)"), HasSubstr("expected a family"));
  EXPECT_THAT(complaint("normal(0, 1"), HasSubstr("closing parenthesis"));
  EXPECT_THAT(complaint("normal(0, 1) > 1"), HasSubstr("closing parenthesis"));
  EXPECT_THAT(complaint("normal(0, 1,)"), HasSubstr("after the last comma"));
  EXPECT_THAT(complaint("normal(0,, 1)"), HasSubstr("argument 2 must be a number"));
  EXPECT_THAT(complaint("normal(0, one)"), AllOf(HasSubstr("argument 2"), HasSubstr("\"one\"")));
  EXPECT_THAT(complaint("normal(0, 1.5x)"), HasSubstr("\"1.5x\""));
  EXPECT_THAT(complaint("normal(0, 1e999)"), HasSubstr("fits a double"));
  EXPECT_THAT(complaint("normal(0, 1, lower=)"), HasSubstr("lower must be a number"));
  EXPECT_THAT(complaint("normal(0, 1, low=1)"), AllOf(HasSubstr("by name"), HasSubstr("\"low\"")));
  EXPECT_THAT(complaint("normal(0, 1, lower=1, lower=2)"), HasSubstr("lower is given twice"));
  EXPECT_THAT(complaint("normal(0, lower=1, 1)"), HasSubstr("come before lower="));
}

TEST(PriorText, BadArgumentIsNamedWithWhatWasGivenAndWhatIsAllowed) {
  EXPECT_EQ(complaint("normal(0, -1)"), "normal(0, -1): sd must be positive and finite, got -1");
  EXPECT_EQ(complaint("normal(nan, 1)"), "normal(nan, 1): mean must be finite, got nan");
  EXPECT_THAT(complaint("gamma(0, 1)"), HasSubstr("shape must be positive and finite, got 0"));
  EXPECT_THAT(complaint("beta(1, inf)"), HasSubstr("b must be positive and finite, got inf"));
  EXPECT_THAT(complaint("student_t(-1, 0, 1)"), HasSubstr("dof must be positive"));
  EXPECT_THAT(complaint("uniform(3, 3)"), AllOf(HasSubstr("high must be above low = 3"), HasSubstr("got 3")));
  EXPECT_THAT(complaint("uniform(-1e308, 1e308)"), HasSubstr("by a finite amount"));
}

TEST(PriorText, BadBoundsAreNamed) {
  EXPECT_THAT(complaint("normal(0, 1, lower=-inf)"), HasSubstr("lower must be finite (leave it out"));
  EXPECT_THAT(complaint("normal(0, 1, lower=2, upper=1)"), HasSubstr("upper must be above lower = 2"));
  EXPECT_THAT(complaint("gamma(1, 1, upper=-2)"), HasSubstr("overlap the family's support (0, inf)"));
  EXPECT_THAT(complaint("normal(0, 1, lower=100)"), HasSubstr("normalising constant"));
}

TEST(PriorText, ExtremeArgumentsAreRefusedNotThrownByAnotherLibrary) {
  for (const std::string text :
       {"gamma(1e+308, 1)", "student_t(5e-324, 0, 1)", "beta(5e-324, 5e-324)", "beta(1e+308, 1e+308)",
        "inverse_gamma(1e+308, 1, upper=2)", "gamma(1, 5e-324, upper=3)"}) {
    const std::string said = complaint(text);
    EXPECT_TRUE(said == "accepted" || said.find(text) == 0) << said;
  }
}

}  // namespace
}  // namespace hunch
