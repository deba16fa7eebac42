// The draws follow from problem, settings and seed: from nothing else, and from each of these.
#include <gtest/gtest.h>

#include <tuple>

#include "run/watched.hpp"

namespace hunch::watched {
namespace {

// Equal bits, or equal numbers of either sign of zero.
void expect_same_run(const RunResult& a, const RunResult& b) {
  ASSERT_EQ(a.chains.size(), b.chains.size());
  EXPECT_EQ(a.evaluations, b.evaluations);
  for (std::size_t c = 0; c < a.chains.size(); ++c) {
    EXPECT_TRUE(a.chains[c].positions == b.chains[c].positions) << "chain " << c;
    EXPECT_TRUE(a.draws.chain(static_cast<Index>(c)) == b.draws.chain(static_cast<Index>(c)))
        << "chain " << c;
    EXPECT_EQ(a.chains[c].warmup.evaluated, b.chains[c].warmup.evaluated);
    EXPECT_EQ(a.chains[c].kept.evaluated, b.chains[c].kept.evaluated);
    EXPECT_EQ(a.chains[c].kept.accepted, b.chains[c].kept.accepted);
  }
}

std::string name_of(Method method) {
  return method == Method::gp_mh     ? "gp_mh"
         : method == Method::gp_mala ? "gp_mala"
         : method == Method::mh      ? "mh"
                                     : "mala";
}

using Configuration = std::tuple<Method, Learning>;
class SameDraws : public testing::TestWithParam<Configuration> {
 protected:
  RunSettings settings() const {
    return {.method = std::get<0>(GetParam()),
            .learning = std::get<1>(GetParam()),
            .warmup = 60,
            .draws = 60,
            .seed = 3};
  }
};

TEST_P(SameDraws, ForAnyNumberOfWorkersAndAnyOrderOfFinishing) {
  const RunResult alone = run_epidemic(settings()).result;
  for (int workers : {1, 2, 4}) {
    SCOPED_TRACE(workers);
    expect_same_run(alone, run_epidemic(settings(), workers, Pace::dawdling).result);
  }
}

TEST_P(SameDraws, WhetherOrNotSomeoneWatches) {
  Index rounds = 0;
  std::int64_t last_evaluations = 0;
  Progress last{};
  const auto watch = [&](const Progress& progress) {
    ++rounds;
    EXPECT_GT(progress.evaluations, last_evaluations);
    EXPECT_GE(progress.iterations_done, last.iterations_done);
    last_evaluations = progress.evaluations;
    last = progress;
  };
  const RunResult watched = run_epidemic(settings(), 1, Pace::prompt, watch).result;
  expect_same_run(run_epidemic(settings()).result, watched);
  EXPECT_GT(rounds, 0);
  EXPECT_EQ(last.iterations_total, 4 * 120);
  EXPECT_LE(last.iterations_done, last.iterations_total);
  EXPECT_EQ(last.evaluations, watched.evaluations);
}

INSTANTIATE_TEST_SUITE_P(Methods, SameDraws,
                         testing::Combine(testing::Values(Method::gp_mh, Method::gp_mala),
                                          testing::Values(Learning::proceed, Learning::freeze)),
                         [](const auto& each) {
                           return name_of(std::get<0>(each.param)) +
                                  (std::get<1>(each.param) == Learning::freeze ? "_freeze" : "_proceed");
                         });

TEST(Draws, AreTheirPositionsSeenAsTheta) {
  const Problem problem = make_problem("T4");
  const RunResult result = run_epidemic({.warmup = 20, .draws = 30}).result;
  ASSERT_EQ(result.draws.chains(), 4);
  EXPECT_EQ(result.draws.names(), (std::vector<std::string>{"R0", "gamma", "sigma_1", "sigma_2"}));
  for (Index c = 0; c < 4; ++c) {
    ASSERT_EQ(result.draws.length(c), 30);
    for (Index i = 0; i < 30; ++i) {
      const Vector position = result.chains[static_cast<std::size_t>(c)].positions.row(i);
      EXPECT_EQ(problem.parameters.theta(position), Vector(result.draws.chain(c).row(i)));
    }
  }
}

class AnyMethod : public testing::TestWithParam<Method> {};

TEST_P(AnyMethod, GivesOtherDrawsForAnotherSeed) {
  const RunResult one = run_epidemic({.method = GetParam(), .warmup = 30, .draws = 40, .seed = 1}).result;
  const RunResult two = run_epidemic({.method = GetParam(), .warmup = 30, .draws = 40, .seed = 2}).result;
  for (std::size_t c = 0; c < 4; ++c) EXPECT_FALSE(one.chains[c].positions == two.chains[c].positions);
}

// Parallel chains that were copies of each other have been published as agreement.
TEST_P(AnyMethod, ChainsFromOneStartAreNotCopies) {
  const Problem problem = make_problem("T4");
  WatchedModel model(problem.evaluate);
  Evaluator evaluator(model, 1);
  const Vector start = problem.parameters.position(problem.truth);
  const RunResult result =
      run(problem.parameters, evaluator, {start, start, start}, epidemic_proposal(GetParam()),
          {.method = GetParam(), .warmup = 30, .draws = 40});
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const Matrix difference = result.chains[a].positions - result.chains[b].positions;
      EXPECT_GT(difference.cwiseAbs().rowwise().maxCoeff().minCoeff(), 0) << a << " and " << b;
    }
}

// Without a surrogate nothing is shared: a chain is the same with and without companions.
TEST(OneStageChain, DoesNotDependOnItsCompanions) {
  const Problem problem = make_problem("T4");
  const std::vector<Vector> starts = epidemic_starts(problem);
  for (Method method : {Method::mh, Method::mala}) {
    WatchedModel model(problem.evaluate);
    Evaluator evaluator(model, 1);
    const RunSettings settings{.method = method, .warmup = 80, .draws = 80};
    const RunResult alone =
        run(problem.parameters, evaluator, {starts[0]}, epidemic_proposal(method), settings);
    EXPECT_TRUE(alone.chains[0].positions == run_epidemic(settings).result.chains[0].positions)
        << name_of(method);
  }
}

// Adaptation belongs to burn-in: what comes after must not move the proposal.
TEST_P(AnyMethod, KeptDrawsDoNotTouchTheProposal) {
  const auto proposal_after = [&](Index draws) {
    return run_epidemic({.method = GetParam(), .learning = Learning::freeze, .warmup = 70, .draws = draws})
        .result.chains[0]
        .proposal;
  };
  const Proposal few = proposal_after(1), many = proposal_after(90);
  if (const auto* walk = std::get_if<RandomWalk>(&few)) {
    EXPECT_EQ(walk->scales, std::get<RandomWalk>(many).scales);
    EXPECT_NE(walk->scales, std::get<RandomWalk>(epidemic_proposal(GetParam())).scales);
  } else {
    const auto& langevin = std::get<Langevin>(few);
    EXPECT_EQ(langevin.lambda, std::get<Langevin>(many).lambda);
    EXPECT_EQ(langevin.delta, std::get<Langevin>(many).delta);
    EXPECT_NE(langevin.delta, std::get<Langevin>(epidemic_proposal(GetParam())).delta);
  }
}

TEST_P(AnyMethod, FixedTuningKeepsTheProposalGiven) {
  const RunResult result =
      run_epidemic({.method = GetParam(), .warmup = 70, .draws = 1, .tuning = Tuning::fixed}).result;
  const Proposal given = epidemic_proposal(GetParam());
  for (const ChainResult& chain : result.chains) {
    if (const auto* walk = std::get_if<RandomWalk>(&given))
      EXPECT_EQ(walk->scales, std::get<RandomWalk>(chain.proposal).scales);
    else
      EXPECT_EQ(std::get<Langevin>(given).delta, std::get<Langevin>(chain.proposal).delta);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, AnyMethod,
                         testing::Values(Method::mh, Method::gp_mh, Method::mala, Method::gp_mala),
                         [](const auto& method) { return name_of(method.param); });

}  // namespace
}  // namespace hunch::watched
