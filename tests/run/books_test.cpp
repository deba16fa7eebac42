// The books balance: every evaluation is counted once, and none is made that the method does not need.
#include <gtest/gtest.h>

#include <cmath>

#include "run/watched.hpp"

namespace hunch::watched {
namespace {

using Configuration = std::tuple<Method, Learning, Screen>;
class Books : public testing::TestWithParam<Configuration> {};

TEST_P(Books, Balance) {
  const auto [method, learning, screen] = GetParam();
  const auto [result, calls, zeros] = run_epidemic({.method = method,
                                                    .learning = learning,
                                                    .screen = screen,
                                                    .warmup = 60,
                                                    .draws = 90,
                                                    .initial_evaluations = 7});
  const std::int64_t initial =
      uses_surrogate(method) ? 7 : 4;  // a method without surrogate pays for its starts

  std::int64_t moved = 0;
  for (const ChainResult& chain : result.chains) {
    EXPECT_EQ(chain.warmup.iterations, 60);
    EXPECT_EQ(chain.kept.iterations, 90);
    for (const StageCounts& phase : {chain.warmup, chain.kept}) {
      EXPECT_EQ(phase.iterations, phase.screened_out + phase.evaluated);
      EXPECT_LE(phase.accepted, phase.evaluated);
    }
    std::int64_t jumps = 0;
    for (Index i = 1; i < chain.positions.rows(); ++i)
      jumps += chain.positions.row(i) != chain.positions.row(i - 1);
    // The first kept draw may or may not be a move: that is not seen from outside.
    EXPECT_GE(chain.kept.accepted, jumps);
    EXPECT_LE(chain.kept.accepted, jumps + 1);
    moved += jumps;
  }
  EXPECT_GT(moved, 0);
  EXPECT_EQ(result.evaluations, initial + total(result).evaluated);
  EXPECT_EQ(result.evaluations, calls);
}

INSTANTIATE_TEST_SUITE_P(OneStage, Books,
                         testing::Combine(testing::Values(Method::mh, Method::mala),
                                          testing::Values(Learning::proceed),
                                          testing::Values(Screen::ratio)));
INSTANTIATE_TEST_SUITE_P(TwoStage, Books,
                         testing::Combine(testing::Values(Method::gp_mh, Method::gp_mala),
                                          testing::Values(Learning::proceed, Learning::freeze),
                                          testing::Values(Screen::paper, Screen::ratio, Screen::early)));

TEST(ScreenedOutProposal, CostsNoEvaluation) {
  for (Method method : {Method::gp_mh, Method::gp_mala}) {
    const auto [result, calls, zeros] = run_epidemic({.method = method, .warmup = 100, .draws = 100});
    const StageCounts counts = total(result);
    EXPECT_GT(counts.screened_out, 100);
    EXPECT_EQ(calls, 4 + counts.iterations - counts.screened_out);
  }
}

TEST(OneStageMethod, PaysForEveryIteration) {
  for (Method method : {Method::mh, Method::mala}) {
    const auto [result, calls, zeros] = run_epidemic({.method = method, .warmup = 50, .draws = 70});
    EXPECT_EQ(total(result).screened_out, 0);
    EXPECT_EQ(calls, 4 + 4 * (50 + 70));
    EXPECT_EQ(result.emulator.lessons(), 0);
  }
}

TEST(ProposalOutsideThePrior, CostsNoEvaluation) {
  const Parameters parameters({{"u", {Normal{0, 1}}}});
  WatchedModel model([](const Vector&, Want) { return Exact{0.0, Vector::Zero(1)}; });
  Evaluator evaluator(model, 1);
  // Steps of 1e200, where the prior's log-density is minus infinity.
  const RunResult result =
      run(parameters, evaluator, {Vector::Zero(1)}, RandomWalk{Vector::Constant(1, 1e200)},
          {.method = Method::mh, .warmup = 0, .draws = 50, .tuning = Tuning::fixed});
  EXPECT_EQ(result.chains[0].kept.screened_out, 50);
  EXPECT_EQ(model.calls(), 1);
}

TEST(InitialEvaluations, AreNeverFewerThanTheStarts) {
  for (Index wanted : {1, 4, 5, 11}) {
    const auto [result, calls, zeros] =
        run_epidemic({.warmup = 10, .draws = 5, .initial_evaluations = wanted});
    EXPECT_EQ(calls - total(result).evaluated, std::max<Index>(4, wanted));
  }
}

std::int64_t evaluated_in_warmup(const RunResult& result) {
  std::int64_t sum = 0;
  for (const ChainResult& chain : result.chains) sum += chain.warmup.evaluated;
  return sum;
}

class Freezing : public testing::TestWithParam<Method> {};

TEST_P(Freezing, TeachesTheEmulatorNothingAfterBurnIn) {
  const auto [result, calls, zeros] =
      run_epidemic({.method = GetParam(), .learning = Learning::freeze, .warmup = 60, .draws = 60});
  ASSERT_EQ(zeros, 0);
  ASSERT_GT(result.chains[0].kept.evaluated, 0);
  EXPECT_EQ(result.emulator.lessons(), 4 + evaluated_in_warmup(result));
}

TEST_P(Freezing, IsTheOnlyDifferenceFromProceedingAndLeavesBurnInAlone) {
  const auto settings = [&](Learning learning) {
    return RunSettings{.method = GetParam(), .learning = learning, .warmup = 60, .draws = 60};
  };
  const auto frozen = run_epidemic(settings(Learning::freeze)),
             learning = run_epidemic(settings(Learning::proceed));
  EXPECT_EQ(evaluated_in_warmup(frozen.result), evaluated_in_warmup(learning.result));
  ASSERT_EQ(learning.zeros, 0);
  EXPECT_EQ(learning.result.emulator.lessons(), learning.calls);
  EXPECT_GT(learning.result.emulator.lessons(), frozen.result.emulator.lessons());
  // While draws are kept even the paper's mode leaves the hyperparameters alone.
  EXPECT_EQ(learning.result.emulator.covariance()->lengthscales,
            frozen.result.emulator.covariance()->lengthscales);
  EXPECT_EQ(learning.result.emulator.covariance()->signal_variance,
            frozen.result.emulator.covariance()->signal_variance);
}

INSTANTIATE_TEST_SUITE_P(Methods, Freezing, testing::Values(Method::gp_mh, Method::gp_mala));

// A run of n draws is the beginning of a run of more.
TEST(LongerRun, BeginsWithTheShorterOne) {
  for (Method method : {Method::mh, Method::gp_mh, Method::gp_mala}) {
    const auto draws_of = [&](Index draws) {
      return run_epidemic({.method = method, .learning = Learning::freeze, .warmup = 40, .draws = draws})
          .result;
    };
    const RunResult few = draws_of(30), many = draws_of(60);
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_TRUE(few.chains[c].positions == many.chains[c].positions.topRows(30)) << c;
  }
}

}  // namespace
}  // namespace hunch::watched
