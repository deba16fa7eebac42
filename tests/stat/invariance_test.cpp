// Every kernel, with every screen and with good, bad, pessimistic and garbage frozen surrogates, leaves its
// target alone.
#include <gtest/gtest.h>

#include <tuple>

#include "stat/surrogates.hpp"

namespace hunch::stat {
namespace {

Proposal proposal_of(const std::string& kind) {
  if (kind == "walk") return RandomWalk{Vector{{0.8, 0.9}}};
  return Langevin{0.5, Vector{{0.6, 1.1}}};
}

Screen screen_of(const std::string& name) {
  if (name == "none") return Screen::none;
  if (name == "paper") return Screen::paper;
  return name == "ratio" ? Screen::ratio : Screen::early;
}

Step kernel(const Proposal& proposal, ScreenOptions options, Beliefs beliefs) {
  return [=](const State& state, Rng& rng) {
    auto screened = screen(state, proposal, options, beliefs, Banana::prior_at, rng);
    const auto* survivor = std::get_if<Survivor>(&screened);
    if (survivor == nullptr) return state;
    return settle(state, *survivor, Banana::exact(survivor->position), proposal, options).state;
  };
}

void expect_uniform(const Chi2& chi2) {
  for (int f = 0; f < statistics; ++f) EXPECT_LT(chi2[f], chi2_critical) << "statistic " << f;
}

class OneStage : public testing::TestWithParam<std::string> {};

TEST_P(OneStage, LeavesTheTargetAlone) {
  const Beliefs nobody;
  const std::uint32_t stream = GetParam() == "walk" ? 1 : 2;
  expect_uniform(rank_test(kernel(proposal_of(GetParam()), {Screen::none, 0}, nobody), stream));
}

INSTANTIATE_TEST_SUITE_P(Kernels, OneStage, testing::Values("walk", "langevin"),
                         [](const auto& kernel_name) { return kernel_name.param; });

using Configuration = std::tuple<std::string, std::string, std::string, double>;
class TwoStage : public testing::TestWithParam<Configuration> {};

TEST_P(TwoStage, LeavesTheTargetAlone) {
  const auto& [kind, screen_name, quality, floor] = GetParam();
  const Proposal proposal = proposal_of(kind);
  std::uint32_t number = floor > 0 ? 1 : 0;
  for (char letter : kind + screen_name + quality) number = 31 * number + static_cast<unsigned char>(letter);
  const ScreenOptions options{screen_of(screen_name), floor};
  expect_uniform(rank_test(kernel(proposal, options, beliefs_of(quality, proposal)), number));
}

std::string configuration_name(const testing::TestParamInfo<Configuration>& info) {
  const auto& [kind, screen_name, quality, floor] = info.param;
  return kind + "_" + screen_name + "_" + quality + (floor > 0 ? "_floor" : "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, TwoStage,
                         testing::Combine(testing::Values("walk", "langevin"),
                                          testing::Values("paper", "ratio", "early"),
                                          testing::Values("good", "bad", "pessimist", "garbage"),
                                          testing::Values(0.0)),
                         configuration_name);
INSTANTIATE_TEST_SUITE_P(Floors, TwoStage,
                         testing::Combine(testing::Values("walk"), testing::Values("paper", "ratio"),
                                          testing::Values("bad"), testing::Values(0.2)),
                         configuration_name);

}  // namespace
}  // namespace hunch::stat
