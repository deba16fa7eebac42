// The two-stage kernels leave their target alone when the frozen surrogate is local: a belief that changes
// abruptly as neighbours come and go costs efficiency, never correctness.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "hunch/surrogate/local_process.hpp"
#include "stat/surrogates.hpp"

namespace hunch::stat {
namespace {

Data lessons_for(Observes observes) {
  return observed(training_points(observes == Observes::values ? 60 : 30), observes);
}

// Three neighbours of 60 points, or one of 30: a surrogate of many small pieces.
LocalProcess local_surrogate(Observes observes) {
  LocalProcess process(covariance_of("bad"), observes, prior_mean_of("bad"),
                       observes == Observes::values ? 3 : 1);
  process.take(lessons_for(observes));
  return process;
}

Step kernel(const Proposal& proposal, const ScreenOptions& options, const Beliefs& beliefs) {
  return [=](const State& state, Rng& rng) {
    auto screened = screen(state, proposal, options, beliefs, Banana::prior_at, rng);
    const auto* survivor = std::get_if<Survivor>(&screened);
    if (survivor == nullptr) return state;
    return settle(state, *survivor, Banana::exact(survivor->position), proposal, options).state;
  };
}

using Configuration = std::tuple<std::string, std::string>;
class LocalTwoStage : public testing::TestWithParam<Configuration> {};

TEST_P(LocalTwoStage, LeavesTheTargetAlone) {
  const auto& [kind, screen_name] = GetParam();
  const bool walk = kind == "walk";
  const Proposal proposal =
      walk ? Proposal(RandomWalk{Vector{{0.8, 0.9}}}) : Proposal(Langevin{0.5, Vector{{0.6, 1.1}}});
  const Screen by = screen_name == "paper"   ? Screen::paper
                    : screen_name == "ratio" ? Screen::ratio
                                             : Screen::early;
  const ScreenOptions options{by, 0};
  const LocalProcess process = local_surrogate(walk ? Observes::values : Observes::values_and_gradients);
  const Beliefs beliefs = [&](const Vector& x, const Vector& y) { return process.pair(x, y); };
  std::uint32_t stream = 5;
  for (char letter : kind + screen_name) stream = 31 * stream + static_cast<unsigned char>(letter);
  const Chi2 chi2 = rank_test(kernel(proposal, options, beliefs), stream);
  for (int f = 0; f < statistics; ++f) EXPECT_LT(chi2[f], chi2_critical) << "statistic " << f;
}

INSTANTIATE_TEST_SUITE_P(Kernels, LocalTwoStage,
                         testing::Combine(testing::Values("walk", "langevin"),
                                          testing::Values("paper", "ratio", "early")),
                         [](const auto& configuration) {
                           return std::get<0>(configuration.param) + "_" + std::get<1>(configuration.param);
                         });

// The test would notice: given the neighbours of the state alone, the belief is another from the other end.
TEST(RankTest, CatchesNeighboursOfTheStateAlone) {
  const LocalProcess process = local_surrogate(Observes::values);
  const Data data = lessons_for(Observes::values);
  const Beliefs beliefs = [&](const Vector& x, const Vector& y) {
    const std::vector<Index> near = process.conditioned_on(x, x);
    return GaussianProcess::condition(process.covariance(), subset(data, near), prior_mean_of("bad"))
        .pair(x, y);
  };
  const Chi2 chi2 = rank_test(kernel(RandomWalk{Vector{{0.8, 0.9}}}, {Screen::ratio, 0}, beliefs), 77);
  EXPECT_GT(std::max({chi2[0], chi2[1], chi2[2]}), chi2_critical);
}

}  // namespace
}  // namespace hunch::stat
