#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "hunch/core/numeric.hpp"
#include "hunch/model/model.hpp"

namespace hunch {
namespace {

Outcome outcome_of(const Exact& returned, Want want) {
  FunctionModel model([&](const Vector&, Want) { return returned; }, {.gradient = true});
  return model.evaluate(Vector{{1, 2}}, want);
}

// A function is believed no more than a program is.
TEST(FunctionModel, WhatIsNoAnswerIsNotTakenForOne) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto gradient = Want::value_and_gradient;
  EXPECT_EQ(outcome_of({-1, Vector{{1, 2}}}, gradient).kind, OutcomeKind::value);
  EXPECT_EQ(outcome_of({-1, std::nullopt}, Want::value).kind, OutcomeKind::value);
  EXPECT_EQ(outcome_of({-infinity, std::nullopt}, gradient).kind, OutcomeKind::zero);
  EXPECT_EQ(outcome_of({infinity, std::nullopt}, Want::value).kind, OutcomeKind::nan);
  EXPECT_EQ(outcome_of({nan, std::nullopt}, Want::value).kind, OutcomeKind::nan);
  EXPECT_EQ(outcome_of({-1, std::nullopt}, gradient).kind, OutcomeKind::protocol);
  EXPECT_EQ(outcome_of({-1, Vector{{1, 2, 3}}}, gradient).kind, OutcomeKind::protocol);
  EXPECT_EQ(outcome_of({-1, Vector{{1, nan}}}, gradient).kind, OutcomeKind::nan);
  FunctionModel throwing([](const Vector&, Want) -> Exact { throw std::runtime_error("no convergence"); },
                         {.gradient = false});
  EXPECT_EQ(throwing.evaluate(Vector{{1}}, Want::value).message, "no convergence");
}

}  // namespace
}  // namespace hunch
