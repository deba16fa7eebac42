// Steps of the default method, excursions within a trusted region mixed with two-stage steps, leave their
// target alone, on every inner kernel and with good, bad, pessimistic and garbage frozen surrogates; and the
// same test catches them with a bug each.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "hunch/sampler/step.hpp"
#include "stat/surrogate_densities.hpp"

namespace hunch::stat {
namespace {

// It cuts through the banana.
bool in_region(const Vector& z) {
  return std::hypot(z[0] + 0.3, z[1] - 0.4) < 1.1;
}

SurrogateDensity restricted_density(const std::string& quality) {
  SurrogateDensity density = density_of(quality);
  density.trusted = in_region;
  density.pair = beliefs_of(quality, RandomWalk{});
  density.prior = Banana::prior_at;
  return density;
}

StepKernel step_kernel(const std::string& kind) {
  const Matrix factor{{0.7, 0.0}, {0.3, 0.6}};
  StepKernel kernel{InnerHamiltonian{factor, 0.8, 2}, 1, {Vector::Constant(2, 1.1), factor}, 0.4};
  // Two turns of a walk: the region is asked about each.
  if (kind == "walk") kernel.inner = InnerWalk{factor, 1.4, archive()};
  if (kind == "walk") kernel.excursion_steps = 12;
  return kernel;
}

Step composed(const std::string& kind, const std::string& quality) {
  return [kernel = step_kernel(kind), density = restricted_density(quality)](const State& state, Rng& rng) {
    const auto step = propose_step(state, kernel, density, rng);
    const auto* pending = std::get_if<PendingStep>(&step);
    if (!pending) return state;
    return settle(state, *pending, Banana::prior_at(pending->position()), Banana::exact(pending->position()))
        .state;
  };
}

using Configuration = std::tuple<std::string, std::string>;
class Steps : public testing::TestWithParam<Configuration> {};

TEST_P(Steps, LeaveTheTargetAlone) {
  const auto& [kind, quality] = GetParam();
  std::uint32_t stream = 7;
  for (char letter : kind + quality) stream = 31 * stream + static_cast<unsigned char>(letter);
  const Chi2 chi2 = rank_test(composed(kind, quality), stream);
  for (int f = 0; f < statistics; ++f) EXPECT_LT(chi2[f], chi2_critical) << "statistic " << f;
}

// A test of chains that stand still, or never cross the region's border, would pass whatever the kernel did.
TEST_P(Steps, MoveAndCrossTheBorderInTheRankTest) {
  const auto& [kind, quality] = GetParam();
  const Step step = composed(kind, quality);
  constexpr int trials = 4000;
  int moved = 0, entered = 0, left = 0;
  for (int r = 0; r < trials; ++r) {
    Rng rng({2028, 0, static_cast<std::uint64_t>(r), Purpose::test});
    const State from = Banana::draw(rng);
    const State to = step(from, rng);
    moved += to.position != from.position;
    left += in_region(from.position) && !in_region(to.position);
    entered += !in_region(from.position) && in_region(to.position);
  }
  EXPECT_GT(moved, trials / 20);
  EXPECT_GT(left, trials / 200);
  EXPECT_GT(entered, trials / 200);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Steps,
                         testing::Combine(testing::Values("walk", "hamiltonian"),
                                          testing::Values("good", "bad", "pessimist", "garbage")),
                         [](const auto& configuration) {
                           return std::get<0>(configuration.param) + "_" + std::get<1>(configuration.param);
                         });

enum class Fault {
  none,              // the same code without a bug, to show that it is the bug that is caught
  enters_freely,     // an excursion from outside may come in, where none could have gone out
  length_by_region,  // excursions are longer from within than from without
  share_by_region,   // outside, every step is of two stages, and nothing makes up for it at the border
};

Step spoilt_step(Fault fault) {
  return [fault, kernel = step_kernel("hamiltonian"), density = restricted_density("bad")](const State& state,
                                                                                           Rng& rng) {
    StepKernel mine = kernel;
    SurrogateDensity surrogate = density;
    if (fault == Fault::enters_freely && !in_region(state.position)) {
      surrogate.trusted = {};
      mine.two_stage_share = 0;
    }
    if (fault == Fault::length_by_region) {
      surrogate.trusted = {};
      mine.excursion_steps = in_region(state.position) ? 4 : 1;
    }
    if (fault == Fault::share_by_region) {
      const bool two_stages = !in_region(state.position) || rng.uniform() < kernel.two_stage_share;
      mine.two_stage_share = two_stages ? 1 : 0;
      if (two_stages) surrogate.trusted = {};
    }
    const auto step = propose_step(state, mine, surrogate, rng);
    const auto* pending = std::get_if<PendingStep>(&step);
    if (!pending) return state;
    return settle(state, *pending, Banana::prior_at(pending->position()), Banana::exact(pending->position()))
        .state;
  };
}

struct Planted {
  std::string name;
  Fault fault;
};

class CatchesStep : public testing::TestWithParam<Planted> {};

TEST_P(CatchesStep, ThatIsSpoilt) {
  const Chi2 chi2 = rank_test(spoilt_step(GetParam().fault), 960 + static_cast<int>(GetParam().fault));
  EXPECT_GT(*std::max_element(chi2.begin(), chi2.end()), chi2_critical);
}

INSTANTIATE_TEST_SUITE_P(RankTest, CatchesStep,
                         testing::Values(Planted{"enters_freely", Fault::enters_freely},
                                         Planted{"length_by_region", Fault::length_by_region},
                                         Planted{"share_by_region", Fault::share_by_region}),
                         [](const auto& planted) { return planted.param.name; });

TEST(RankTest, PassesTheWrittenOutSteps) {
  const Chi2 chi2 = rank_test(spoilt_step(Fault::none), 960);
  EXPECT_LT(*std::max_element(chi2.begin(), chi2.end()), chi2_critical);
}

}  // namespace
}  // namespace hunch::stat
