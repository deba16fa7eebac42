// The rank test can fail: kernels with one deliberate bug each are caught by it, at the same size and level.
#include <gtest/gtest.h>

#include "hunch/core/numeric.hpp"
#include "stat/surrogates.hpp"

namespace hunch::stat {
namespace {

enum class Fault {
  none,                     // the same code without a bug, to show that it is the bug that is caught
  reverse_not_recentred,    // the reverse stage 1 keeps the prior mean at LL(x) instead of LL(y)
  exact_value_at_current,   // stage 1 divides by the exact L(x) though the surrogate does not interpolate
                            // there
  stage_one_left_out,       // stage 2 is a plain MH test, as if stage 1 had not happened
  learned_before_settling,  // y is added to the surrogate before alpha_2 is computed
  prior_left_out_of_stage_two,
  ratio_upside_down,
};

// GP-MH with the paper's screen, written out so that each line can be spoilt.
Step spoilt_kernel(Fault fault) {
  return [fault, process = process_of("bad", Observes::values)](const State& state, Rng& rng) {
    const Proposal proposal = RandomWalk{Vector{{0.8, 0.9}}};
    const ScreenOptions paper{Screen::paper, 0};
    State y = state;
    y.position = propose(proposal, state, rng);
    y.prior = Banana::prior_at(y.position);
    const double log_uniform_1 = std::log(rng.uniform()), log_uniform_2 = std::log(rng.uniform());

    const PairBelief belief = process.pair(state.position, y.position);
    const End here{state.position, state.prior, End::Side::x}, there{y.position, y.prior, End::Side::y};
    double forward = log_alpha_1(paper, proposal, belief, here, there, 0, state.exact.log_likelihood);
    if (fault == Fault::exact_value_at_current)
      forward = at_most_zero(belief.mean(state.exact.log_likelihood)[1] + belief.covariance(1, 1) / 2 +
                             y.prior.log_density - state.exact.log_likelihood - state.prior.log_density);
    if (!(log_uniform_1 < forward)) return state;

    y.exact = Banana::exact(y.position);
    const double recentred_at =
        fault == Fault::reverse_not_recentred ? state.exact.log_likelihood : y.exact.log_likelihood;
    double reverse = log_alpha_1(paper, proposal, belief, there, here, 0, recentred_at);
    if (fault == Fault::learned_before_settling) {
      GaussianProcess wiser = process;
      wiser.append(y.position, y.exact.log_likelihood);
      const PairBelief late = wiser.pair(state.position, y.position);
      forward = log_alpha_1(paper, proposal, late, here, there, 0, state.exact.log_likelihood);
      reverse = log_alpha_1(paper, proposal, late, there, here, 0, y.exact.log_likelihood);
    }
    double log_ratio = y.exact.log_likelihood - state.exact.log_likelihood;
    if (fault == Fault::ratio_upside_down) log_ratio = -log_ratio;
    if (fault != Fault::prior_left_out_of_stage_two)
      log_ratio += y.prior.log_density - state.prior.log_density;
    if (fault != Fault::stage_one_left_out) log_ratio += reverse - forward;
    return log_uniform_2 < log_ratio ? y : state;
  };
}

enum class EarlyFault {
  none,
  own_end_forgotten,  // only the proposal's G is looked at, not G(x) / Pi(x)
  fresh_uniform,      // stage 2 draws a uniform of its own instead of sharing stage 1's
};

// GP-MH with the early screen, written out.
Step spoilt_early_kernel(EarlyFault fault) {
  return [fault, process = process_of("pessimist", Observes::values)](const State& state, Rng& rng) {
    const Proposal proposal = RandomWalk{Vector{{0.8, 0.9}}};
    const Vector position = propose(proposal, state, rng);
    const State y{position, Banana::prior_at(position), Banana::exact(position)};
    const double log_uniform = std::log(rng.uniform()), another = std::log(rng.uniform());

    const PairBelief belief = process.pair(state.position, y.position);
    const Vector mean = belief.mean();
    const double log_pi = state.prior.log_density + state.exact.log_likelihood;
    const double there = y.prior.log_density + mean[1] + belief.covariance(1, 1) / 2 - log_pi;
    const double here = state.prior.log_density + mean[0] + belief.covariance(0, 0) / 2 - log_pi;
    const double log_alpha = fault == EarlyFault::own_end_forgotten ? there : std::min(here, there);
    if (!(log_uniform < log_alpha)) return state;
    const double log_ratio = y.prior.log_density + y.exact.log_likelihood - log_pi;
    return (fault == EarlyFault::fresh_uniform ? another : log_uniform) < log_ratio ? y : state;
  };
}

enum class LangevinFault {
  none,
  proposal_left_out,      // stage 2 forgets q
  surrogate_drift_back,   // q(x | y) by the surrogate's gradient at y instead of the exact one
  candidate_prior_stale,  // the drift back uses the prior's gradient at x
};

// GP-MALA with the ratio screen: the library's own steps, with q spoilt in stage 2.
Step spoilt_langevin_kernel(LangevinFault fault) {
  return [fault, process = process_of("bad", Observes::values_and_gradients)](const State& state, Rng& rng) {
    const Proposal proposal = Langevin{0.5, Vector{{0.6, 1.1}}};
    const ScreenOptions options{Screen::ratio, 0};
    const Beliefs beliefs = [&](const Vector& a, const Vector& b) { return process.pair(a, b); };
    auto screened = screen(state, proposal, options, beliefs, Banana::prior_at, rng);
    const auto* survivor = std::get_if<Survivor>(&screened);
    if (survivor == nullptr) return state;
    const State y{survivor->position, survivor->prior, Banana::exact(survivor->position)};
    const End here{state.position, state.prior, End::Side::x}, there{y.position, y.prior, End::Side::y};

    State back = y;
    if (fault == LangevinFault::surrogate_drift_back) back.exact.gradient = survivor->belief->mean().tail(2);
    if (fault == LangevinFault::candidate_prior_stale) back.prior.gradient = state.prior.gradient;
    const double log_q_back = log_proposal(proposal, back, state.position);
    double log_ratio =
        y.exact.log_likelihood + y.prior.log_density - state.exact.log_likelihood - state.prior.log_density;
    if (fault != LangevinFault::proposal_left_out)
      log_ratio += log_q_back - log_proposal(proposal, state, y.position);
    log_ratio += log_alpha_1(options, proposal, *survivor->belief, there, here,
                             log_proposal(proposal, y, state.position), y.exact.log_likelihood) -
                 survivor->log_alpha_1;
    return survivor->log_uniform < log_ratio ? y : state;
  };
}

double worst(const Chi2& chi2) {
  return *std::max_element(chi2.begin(), chi2.end());
}

TEST(RankTest, PassesTheWrittenOutKernel) {
  EXPECT_LT(worst(rank_test(spoilt_kernel(Fault::none), 901)), chi2_critical);
}
TEST(RankTest, CatchesReverseNotRecentred) {
  EXPECT_GT(worst(rank_test(spoilt_kernel(Fault::reverse_not_recentred), 902)), chi2_critical);
}
TEST(RankTest, CatchesExactValueAtCurrent) {
  EXPECT_GT(worst(rank_test(spoilt_kernel(Fault::exact_value_at_current), 903)), chi2_critical);
}
TEST(RankTest, CatchesStageOneLeftOut) {
  EXPECT_GT(worst(rank_test(spoilt_kernel(Fault::stage_one_left_out), 904)), chi2_critical);
}
TEST(RankTest, CatchesLearnedBeforeSettling) {
  EXPECT_GT(worst(rank_test(spoilt_kernel(Fault::learned_before_settling), 905)), chi2_critical);
}
TEST(RankTest, CatchesPriorLeftOut) {
  EXPECT_GT(worst(rank_test(spoilt_kernel(Fault::prior_left_out_of_stage_two), 906)), chi2_critical);
}
TEST(RankTest, CatchesRatioUpsideDown) {
  EXPECT_GT(worst(rank_test(spoilt_kernel(Fault::ratio_upside_down), 907)), chi2_critical);
}

TEST(RankTest, PassesTheWrittenOutEarlyKernel) {
  EXPECT_LT(worst(rank_test(spoilt_early_kernel(EarlyFault::none), 911)), chi2_critical);
}
TEST(RankTest, CatchesOwnEndForgotten) {
  EXPECT_GT(worst(rank_test(spoilt_early_kernel(EarlyFault::own_end_forgotten), 912)), chi2_critical);
}
TEST(RankTest, CatchesFreshUniform) {
  EXPECT_GT(worst(rank_test(spoilt_early_kernel(EarlyFault::fresh_uniform), 913)), chi2_critical);
}
TEST(RankTest, PassesTheWrittenOutLangevinKernel) {
  EXPECT_LT(worst(rank_test(spoilt_langevin_kernel(LangevinFault::none), 921)), chi2_critical);
}
TEST(RankTest, CatchesProposalLeftOut) {
  EXPECT_GT(worst(rank_test(spoilt_langevin_kernel(LangevinFault::proposal_left_out), 922)), chi2_critical);
}
TEST(RankTest, CatchesSurrogateDriftBack) {
  EXPECT_GT(worst(rank_test(spoilt_langevin_kernel(LangevinFault::surrogate_drift_back), 923)),
            chi2_critical);
}
TEST(RankTest, CatchesStalePriorGradient) {
  EXPECT_GT(worst(rank_test(spoilt_langevin_kernel(LangevinFault::candidate_prior_stale), 924)),
            chi2_critical);
}

}  // namespace
}  // namespace hunch::stat
