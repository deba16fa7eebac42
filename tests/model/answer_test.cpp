#include "hunch/model/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

using testing::HasSubstr;

OutcomeKind kind_of(std::string_view text, Want want = Want::value) {
  return read_answer(text, 2, want).kind;
}

TEST(Answer, NumbersPassBitForBit) {
  for (const char* text : {"-12.5", " 0.1\r", "-1.7976931348623157e308", "4.9406564584124654e-324", "1E+03",
                           "+3", "5.", ".5", "-0.0", "1e-999"}) {
    const Outcome bare = read_answer(text, 2, Want::value);
    ASSERT_EQ(bare.kind, OutcomeKind::value) << text;
    const double expected = std::strtod(text, nullptr);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(bare.exact.log_likelihood),
              std::bit_cast<std::uint64_t>(expected));
  }
  const auto both =
      read_answer(R"({"gradient": [0.1, -2e-3], "log_likelihood": -7.1})", 2, Want::value_and_gradient);
  ASSERT_EQ(both.kind, OutcomeKind::value) << both.message;
  EXPECT_EQ(both.exact.log_likelihood, -7.1);
  EXPECT_EQ(*both.exact.gradient, Vector({{0.1, -2e-3}}));
}

TEST(Answer, MinusInfinityIsZeroHoweverItIsSpelt) {
  for (const char* text :
       {"-inf", "-Infinity", "-Inf", "-INFINITY", "-1e999", R"({"log_likelihood": -Infinity})",
        R"({"log_likelihood": "-inf", "gradient": [NaN, NaN]})", R"({"log_likelihood":-1e999})"})
    EXPECT_EQ(kind_of(text, Want::value_and_gradient), OutcomeKind::zero) << text;
}

TEST(Answer, PlusInfinityAndNanAreNoValues) {
  for (const char* text :
       {"nan", "NaN", "-nan", "inf", "+inf", "Infinity", "1e999", R"({"log_likelihood": NaN})",
        R"({"log_likelihood": "nan"})", R"({"log_likelihood": 1e999})",
        R"({"log_likelihood": 1, "gradient": [1, NaN]})", R"({"log_likelihood": 1, "gradient": ["inf", 1]})"})
    EXPECT_EQ(kind_of(text, Want::value_and_gradient), OutcomeKind::nan) << text;
  EXPECT_THAT(read_answer("inf", 2, Want::value).message, HasSubstr("plus infinity"));
}

TEST(Answer, RubbishIsNeverANumber) {
  for (const char* text : {"",
                           "  \n",
                           "1,5",
                           "0x1p3",
                           "0x10",
                           "1 2",
                           "1\n2",
                           "1.5abc",
                           "1.5;",
                           "--1",
                           "+-1",
                           "1e",
                           "e5",
                           ".",
                           "-",
                           "one",
                           "null",
                           "true",
                           "[1]",
                           "\"1\"",
                           "1.0D+03",
                           "1_000",
                           "\xef\xbb\xbf"
                           "1"})
    EXPECT_EQ(kind_of(text), OutcomeKind::protocol) << text;
  EXPECT_EQ(kind_of(std::string_view("1\0", 2)), OutcomeKind::protocol);
}

TEST(Answer, BrokenObjectsAreRefused) {
  for (const char* text : {"{",
                           "{}",
                           "{\"log_likelihood\"",
                           R"({"log_likelihood": })",
                           R"({"log_likelihood": 1)",
                           R"({"log_likelihood": 1,5})",
                           R"({"log_likelihood": 1,})",
                           R"({"log_likelihood": 1} 2)",
                           R"({"log_likelihood": 1}{"log_likelihood": 2})",
                           R"({"log_likelihood": 1, "log_likelihood": 2})",
                           R"({"log_likelihood": "1"})",
                           R"({"log_likelihood": null})",
                           R"({"log_likelihood": [1]})",
                           R"({'log_likelihood': 1})",
                           R"({"log_likelihod": 1})",
                           R"({"log_likelihood": 1, "gradient": 3})",
                           R"({"log_likelihood": 1, "gradient": [1, [2]]})",
                           R"({"log_likelihood": 1, "gradient": [1,]})",
                           R"({"log_likelihood": 1, "x": maybe})",
                           R"({"log_likelihood": 1, "x": "no end)",
                           "{\"log_likelihood\\"})
    EXPECT_EQ(kind_of(text), OutcomeKind::protocol) << text;
}

TEST(Answer, UnknownKeysArePassedOver) {
  const auto outcome = read_answer(
      R"({"note": "a \"quoted\" }", "more": {"a": [1, {"b": null}], "c": [], "d": {}}, "log_likelihood": 2,
          "ok": true, "seconds": NaN})",
      2, Want::value);
  ASSERT_EQ(outcome.kind, OutcomeKind::value) << outcome.message;
  EXPECT_EQ(outcome.exact.log_likelihood, 2);
}

TEST(Answer, GradientOfTheWrongSizeOrMissingIsRefused) {
  EXPECT_EQ(kind_of(R"({"log_likelihood": 1, "gradient": [1, 2, 3]})"), OutcomeKind::protocol);
  EXPECT_EQ(kind_of(R"({"log_likelihood": 1, "gradient": []})"), OutcomeKind::protocol);
  EXPECT_EQ(kind_of(R"({"log_likelihood": 1})", Want::value_and_gradient), OutcomeKind::protocol);
  EXPECT_EQ(kind_of(R"({"log_likelihood": 1, "gradient": null})", Want::value_and_gradient),
            OutcomeKind::protocol);
  EXPECT_EQ(kind_of("1", Want::value_and_gradient), OutcomeKind::protocol);
  EXPECT_EQ(kind_of(R"({"log_likelihood": 1, "gradient": null})"), OutcomeKind::value);
}

TEST(Answer, DepthAndLengthCannotHurt) {
  const std::size_t deep = largest_answer / 8;
  for (const char* opening : {"[", "{\"a\":"}) {
    std::string text = R"({"a": )";
    for (std::size_t i = 0; i < deep; ++i) text += opening;
    EXPECT_EQ(kind_of(text), OutcomeKind::protocol);
  }
  EXPECT_EQ(kind_of("1" + std::string(largest_answer, ' ')), OutcomeKind::protocol);
  EXPECT_EQ(kind_of("1" + std::string(largest_answer - 1, ' ')), OutcomeKind::value);
}

TEST(Answer, MessageQuotesTheBeginningHarmlessly) {
  const auto outcome = read_answer("\x1b[31m\"oops\" \xff" + std::string(500, 'x'), 2, Want::value);
  EXPECT_THAT(outcome.message, HasSubstr(R"("\x1b[31m\"oops\" \xffxxx)"));
  EXPECT_LE(quoted_beginning(std::string(500, '\n')).size(), 82u);
  EXPECT_EQ(quoted_beginning("abc"), "\"abc\"");
}

}  // namespace
}  // namespace hunch
