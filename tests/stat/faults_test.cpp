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
Step spoilt_kernel(Fault fault, double prior_mean = 0.5) {
  auto process = value_process("bad");
  process.recentre(prior_mean);
  return [fault, process](const State& state, Rng& rng) {
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

}  // namespace
}  // namespace hunch::stat
