#include "hunch/sampler/excursion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const Matrix identity = Matrix::Identity(2, 2);
const InnerKernel walk = InnerWalk{identity, 1.0, Matrix(2, 0)};
const InnerKernel leaping = InnerWalk{identity, 1.0, Matrix{{-1.0, 0.5, 2.0}, {0.3, 1.0, -2.0}}};
const InnerKernel flight = InnerHamiltonian{identity, 0.4, 3};

// A standard normal on the half-plane z_0 > 0.
SurrogateDensity half_normal() {
  const auto log_density = [](const Vector& z) { return z[0] > 0 ? -0.5 * z.squaredNorm() : -infinity; };
  return {log_density, [log_density](const Vector& z, Vector& gradient) {
            gradient = -z;
            return log_density(z);
          }};
}

Rng rng_of(std::uint64_t i) {
  return Rng({61, 0, i, Purpose::test});
}

class EveryInnerKernel : public testing::TestWithParam<const InnerKernel*> {};
INSTANTIATE_TEST_SUITE_P(Excursion, EveryInnerKernel, testing::Values(&walk, &leaping, &flight));

TEST_P(EveryInnerKernel, NeverEndsWhereTheSurrogateSaysNever) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    Rng rng = rng_of(i);
    EXPECT_GT(excursion(Vector{{0.1, 0.0}}, *GetParam(), 4, half_normal(), rng).position[0], 0);
  }
}

TEST_P(EveryInnerKernel, ReportsTheDensityAtItsEnds) {
  const SurrogateDensity density = half_normal();
  const Vector from{{0.7, -0.4}};
  Index moved = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    Rng rng = rng_of(i);
    const Excursion away = excursion(from, *GetParam(), 5, density, rng);
    EXPECT_EQ(away.log_density_from, density.log_density(from));
    EXPECT_EQ(away.log_density_to, density.log_density(away.position));
    EXPECT_EQ(away.accepted == 0, away.position == from);
    moved += away.accepted;
  }
  EXPECT_GT(moved, 50);
}

TEST_P(EveryInnerKernel, StaysWhereTheSurrogateIsNotANumber) {
  const SurrogateDensity broken{[](const Vector&) { return nan; },
                                [](const Vector& z, Vector& gradient) {
                                  gradient = Vector::Constant(z.size(), nan);
                                  return nan;
                                }};
  Rng rng = rng_of(0);
  const Vector from{{0.7, -0.4}};
  const Excursion away = excursion(from, *GetParam(), 20, broken, rng);
  EXPECT_EQ(away.position, from);
  EXPECT_EQ(away.accepted, 0);
  const State state{from, {0, {}}, {-1, {}}};
  EXPECT_EQ(settle(state, away, state.prior, state.exact).info.verdict, Verdict::rejected);
}

TEST_P(EveryInnerKernel, NeitherLeavesNorEntersTheTrustedRegion) {
  SurrogateDensity density = half_normal();
  density.trusted = [](const Vector& z) { return z[1] < 0; };
  Index moved = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Rng rng = rng_of(i), another = rng_of(i);
    const Excursion inside = excursion(Vector{{0.7, -0.4}}, *GetParam(), 25, density, rng);
    EXPECT_LT(inside.position[1], 0);
    EXPECT_EQ(inside.log_density_to, density.log_density(inside.position));
    EXPECT_EQ(inside.accepted == 0, inside.position == (Vector{{0.7, -0.4}}));
    moved += inside.accepted;
    const Excursion outside = excursion(Vector{{0.7, 0.4}}, *GetParam(), 25, density, another);
    EXPECT_EQ(outside.position, (Vector{{0.7, 0.4}}));
    EXPECT_EQ(outside.accepted, 0);
  }
  EXPECT_GT(moved, 200);
}

TEST_P(EveryInnerKernel, IsTheSameForTheSameNumbers) {
  Rng one = rng_of(3), another = rng_of(3);
  const Excursion a = excursion(Vector{{0.7, -0.4}}, *GetParam(), 9, half_normal(), one);
  const Excursion b = excursion(Vector{{0.7, -0.4}}, *GetParam(), 9, half_normal(), another);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.log_uniform, b.log_uniform);
  EXPECT_EQ(one.bits(), another.bits());
}

// If the last uniform were drawn after the free steps, their number would decide which one it is.
TEST_P(EveryInnerKernel, AcceptanceDoesNotDependOnHowManyNumbersTheStepsTook) {
  Rng one = rng_of(4), another = rng_of(4);
  EXPECT_EQ(excursion(Vector{{0.7, -0.4}}, *GetParam(), 1, half_normal(), one).log_uniform,
            excursion(Vector{{0.7, -0.4}}, *GetParam(), 50, half_normal(), another).log_uniform);
}

TEST(Excursion, FlightIntoTheBoundaryIsRefusedAsItsReverseWouldBe) {
  const InnerKernel long_flight = InnerHamiltonian{identity, 0.5, 40};
  for (std::uint64_t i = 0; i < 200; ++i) {
    Rng rng = rng_of(i);
    const Vector from{{0.2, 0.0}};
    EXPECT_EQ(excursion(from, long_flight, 1, half_normal(), rng).position, from);
  }
}

State state_of(double log_prior, double log_likelihood) {
  return {Vector{{0.0}}, {log_prior, {}}, {log_likelihood, {}}};
}
double log_alpha(const State& state, double from, double to, double log_prior, double log_likelihood) {
  const Excursion away{Vector{{1.0}}, from, to, 1, -1e-9};
  return settle(state, away, {log_prior, {}}, {log_likelihood, {}}).info.log_alpha_2.value();
}

TEST(Settle, PutsEachTermOnItsSide) {
  const State state = state_of(-1, -10);
  EXPECT_DOUBLE_EQ(log_alpha(state, 0, 0, -1, -12), -2);
  EXPECT_DOUBLE_EQ(log_alpha(state, 0, 0, -4, -10), -3);
  EXPECT_DOUBLE_EQ(log_alpha(state, -5, 0, -1, -10), -5);
  EXPECT_DOUBLE_EQ(log_alpha(state, 0, 7, -1, -10), -7);
  EXPECT_DOUBLE_EQ(log_alpha(state, 7, 0, -1, -10), 0);
}

TEST(Settle, PerfectSurrogateIsAlwaysAccepted) {
  EXPECT_EQ(log_alpha(state_of(-1, -10), -11, -23, -3, -20), 0);
}

TEST(Settle, WhatTheModelForbidsIsRejectedWhateverTheSurrogateSaid) {
  EXPECT_EQ(log_alpha(state_of(-1, -10), 50, -50, -1, -infinity), -infinity);
  EXPECT_EQ(log_alpha(state_of(-1, -10), 50, -50, -1, nan), -infinity);
}

TEST(Settle, TakesTheNewStateWithAllThatWasPaidForIt) {
  const State state = state_of(-1, -10);
  const Excursion lucky{Vector{{1.0}}, 0, 0, 1, -0.6}, unlucky{Vector{{1.0}}, 0, 0, 1, -0.4};
  const Transition moved = settle(state, lucky, {-1, {}}, {-10.5, Vector{{4.0}}});
  EXPECT_EQ(moved.info.verdict, Verdict::accepted);
  EXPECT_EQ(moved.state.position, (Vector{{1.0}}));
  EXPECT_EQ(moved.state.exact.log_likelihood, -10.5);
  EXPECT_EQ(*moved.state.exact.gradient, (Vector{{4.0}}));
  const Transition stayed = settle(state, unlucky, {-1, {}}, {-10.5, {}});
  EXPECT_EQ(stayed.info.verdict, Verdict::rejected);
  EXPECT_EQ(stayed.state.position, state.position);
  EXPECT_EQ(stayed.state.exact.log_likelihood, -10);
}

// A flight that is cut short inside would be accepted one way and never the other.
TEST(Flight, NeitherEntersNorLeavesWhereTheSlopeIsNoNumber) {
  const auto log_density = [](const Vector& z) { return -0.5 * z.squaredNorm(); };
  const SurrogateDensity density{log_density, [&](const Vector& z, Vector& gradient) {
                                   gradient = -z;
                                   if (z[0] > 1) gradient[0] = nan;
                                   return log_density(z);
                                 }};
  for (std::uint64_t i = 0; i < 500; ++i) {
    Rng rng = rng_of(i);
    EXPECT_LE(excursion(Vector{{0.9, 0.0}}, flight, 1, density, rng).position[0], 1);
    EXPECT_EQ(excursion(Vector{{1.1, 0.0}}, flight, 1, density, rng).position[0], 1.1);
  }
}

}  // namespace
}  // namespace hunch
