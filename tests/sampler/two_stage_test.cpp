#include "hunch/sampler/two_stage.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hunch/core/numeric.hpp"
#include "hunch/sampler/adaptation.hpp"

namespace hunch {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A standard normal likelihood under a wide normal prior.
Exact exact_at(const Vector& z) {
  return {-0.5 * z.squaredNorm(), Vector(-z)};
}
PriorAt prior_at(const Vector& z) {
  return {-0.005 * z.squaredNorm(), Vector(-0.01 * z)};
}
State state_at(const Vector& z) {
  return {z, prior_at(z), exact_at(z)};
}

PairBelief perfect(const Vector& x, const Vector& y) {
  return {Vector{{exact_at(x).log_likelihood, exact_at(y).log_likelihood}}, Vector::Zero(2),
          Matrix::Zero(2, 2), 0};
}
PairBelief perfect_with_gradients(const Vector& x, const Vector& y) {
  Vector mean(2 * (x.size() + 1));
  mean << exact_at(x).log_likelihood, *exact_at(x).gradient, exact_at(y).log_likelihood,
      *exact_at(y).gradient;
  return {mean, Vector::Zero(mean.size()), Matrix::Zero(mean.size(), mean.size()), 0};
}

struct Walked {
  int evaluated = 0, accepted = 0;
  std::vector<double> path;
};

Walked chain(const Proposal& proposal, const ScreenOptions& options, const Beliefs& beliefs, int iterations) {
  Walked run;
  State state = state_at(Vector{{0.5, -0.5}});
  for (int i = 0; i < iterations; ++i) {
    Rng rng({5, 0, static_cast<std::uint64_t>(i), Purpose::step});
    auto screened = screen(state, proposal, options, beliefs, prior_at, rng);
    if (auto* survivor = std::get_if<Survivor>(&screened)) {
      auto [next, info] = settle(state, *survivor, exact_at(survivor->position), proposal, options);
      state = next;
      run.evaluated += info.evaluated();
      run.accepted += info.verdict == Verdict::accepted;
    }
    run.path.push_back(state.position[0]);
  }
  return run;
}

const Proposal walk = RandomWalk{Vector{{1.7, 1.7}}};
const Proposal langevin = Langevin{1.5, Vector{{1.0, 0.8}}};

TEST(TwoStage, PerfectSurrogatePaysOnlyForAcceptedMoves) {
  for (Screen which : {Screen::paper, Screen::ratio, Screen::early}) {
    for (const Proposal& proposal : {walk, langevin}) {
      const Walked run =
          chain(proposal, {which, 0}, uses_gradient(proposal) ? perfect_with_gradients : perfect, 2000);
      EXPECT_EQ(run.evaluated, run.accepted);
      EXPECT_LT(run.evaluated, 1900);
      EXPECT_GT(run.accepted, 300);
    }
  }
}

TEST(TwoStage, PerfectEarlyScreenIsPlainMetropolisHastingsStepForStep) {
  for (const Proposal& proposal : {walk, langevin}) {
    const Walked screened =
        chain(proposal, {Screen::early, 0}, uses_gradient(proposal) ? perfect_with_gradients : perfect, 500);
    // The same uniform decides: plain MH that uses its first uniform for the decision walks the same path.
    Walked plain;
    State state = state_at(Vector{{0.5, -0.5}});
    for (int i = 0; i < 500; ++i) {
      Rng rng({5, 0, static_cast<std::uint64_t>(i), Purpose::step});
      const Vector y = propose(proposal, state, rng);
      const State candidate = state_at(y);
      const double log_ratio = candidate.exact.log_likelihood + candidate.prior.log_density -
                               state.exact.log_likelihood - state.prior.log_density +
                               log_proposal(proposal, candidate, state.position) -
                               log_proposal(proposal, state, y);
      if (std::log(rng.uniform()) < log_ratio) state = candidate;
      plain.path.push_back(state.position[0]);
    }
    EXPECT_EQ(screened.path, plain.path);
  }
}

TEST(TwoStage, OneStageEvaluatesEveryProposal) {
  const Walked run = chain(walk, {Screen::none, 0}, {}, 400);
  EXPECT_EQ(run.evaluated, 400);
  EXPECT_GT(run.accepted, 50);
  EXPECT_LT(run.accepted, 350);
}

TEST(TwoStage, OutsideThePriorCostsNoEvaluation) {
  const auto nowhere = [](const Vector&) { return PriorAt{-infinity, Vector()}; };
  Rng rng({1, 0, 0, Purpose::step});
  const auto screened = screen(state_at(Vector{{0.0, 0.0}}), walk, {Screen::none, 0}, {}, nowhere, rng);
  ASSERT_TRUE(std::holds_alternative<StepInfo>(screened));
  EXPECT_EQ(std::get<StepInfo>(screened).verdict, Verdict::outside_support);
  EXPECT_FALSE(std::get<StepInfo>(screened).evaluated());
}

TEST(TwoStage, UnusableBeliefIsPaidForAndSettledAsPlainMetropolisHastings) {
  const Beliefs broken = [](const Vector&, const Vector&) {
    return PairBelief{Vector{{nan, 0.0}}, Vector::Zero(2), Matrix::Identity(2, 2), 0};
  };
  const Beliefs negative = [](const Vector&, const Vector&) {
    return PairBelief{Vector::Zero(2), Vector::Zero(2), -Matrix::Identity(2, 2), 0};
  };
  const Walked plain = chain(walk, {Screen::none, 0}, {}, 300);
  for (const Beliefs& beliefs : {broken, negative}) {
    const Walked run = chain(walk, {Screen::ratio, 0}, beliefs, 300);
    EXPECT_EQ(run.evaluated, 300);
    EXPECT_EQ(run.path, plain.path);
  }
}

TEST(TwoStage, ZeroLikelihoodIsRejectedWithoutNaN) {
  const State state = state_at(Vector{{0.0, 0.0}});
  const Survivor survivor{Vector{{1.0, 1.0}}, prior_at(Vector{{1.0, 1.0}}), std::nullopt, 0.0, -1e300};
  const Transition transition = settle(state, survivor, {-infinity, std::nullopt}, walk, {Screen::ratio, 0});
  EXPECT_EQ(transition.info.verdict, Verdict::rejected);
  EXPECT_EQ(transition.state.position, state.position);
}

TEST(TwoStage, FloorLetsHopelessProposalsThroughAtItsRate) {
  // alpha_1 = floor = .2 for a surrogate that condemns everything: 4000 trials, z of the count within 5.
  const Beliefs hopeless = [](const Vector&, const Vector&) {
    return PairBelief{Vector{{0.0, -1000.0}}, Vector::Zero(2), Matrix::Zero(2, 2), 0};
  };
  int survived = 0;
  for (int i = 0; i < 4000; ++i) {
    Rng rng({9, 0, static_cast<std::uint64_t>(i), Purpose::step});
    const auto screened =
        screen(state_at(Vector{{0.0, 0.0}}), walk, {Screen::ratio, 0.2}, hopeless, prior_at, rng);
    survived += std::holds_alternative<Survivor>(screened);
  }
  EXPECT_LT(std::abs(survived - 800) / std::sqrt(4000 * 0.2 * 0.8), 5);
}

TEST(TwoStage, UncertaintyBuysAnEvaluation) {
  // The marginalised screens accept more where the surrogate is unsure: the paper's exploration.
  const auto belief = [](double variance) {
    return PairBelief{Vector{{0.0, -6.0}}, Vector::Zero(2), Matrix{{0.0, 0.0}, {0.0, variance}}, 0};
  };
  const State x = state_at(Vector{{0.0, 0.0}}), y = state_at(Vector{{0.1, 0.0}});
  const End here{x.position, x.prior, End::Side::x}, there{y.position, y.prior, End::Side::y};
  for (Screen which : {Screen::paper, Screen::ratio}) {
    const double sure = log_alpha_1({which, 0}, walk, belief(0), here, there, 0, 0);
    const double unsure = log_alpha_1({which, 0}, walk, belief(8), here, there, 0, 0);
    EXPECT_NEAR(unsure - sure, 4, 1e-12);
  }
}

TEST(Adaptation, ReachesTheAcceptanceItAimsAt) {
  for (const Proposal& initial :
       {Proposal{RandomWalk{Vector{{0.001, 0.05}}}}, Proposal{Langevin{1e-4, Vector{{1.0, 1.0}}}}}) {
    const double target = uses_gradient(initial) ? 0.574 : 0.3;
    Adaptation adaptation(initial, {.target_acceptance = target});
    State state = state_at(Vector{{0.5, -0.5}});
    int accepted = 0;
    for (int i = 0; i < 6000; ++i) {
      Rng rng({5, 0, static_cast<std::uint64_t>(i), Purpose::step});
      auto screened = screen(state, adaptation.proposal(), {Screen::none, 0}, {}, prior_at, rng);
      const auto& survivor = std::get<Survivor>(screened);
      auto [next, info] =
          settle(state, survivor, exact_at(survivor.position), adaptation.proposal(), {Screen::none, 0});
      state = next;
      if (i < 3000)
        adaptation.observe(state.position, info);
      else
        accepted += info.verdict == Verdict::accepted;
    }
    EXPECT_NEAR(accepted / 3000.0, target, 0.06);
  }
}

}  // namespace
}  // namespace hunch
