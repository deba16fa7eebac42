#include "hunch/sampler/step.hpp"

#include <utility>

namespace hunch {

namespace {

// It compares the two ends of a move: where the surrogate is far too low, from where no excursion is
// accepted, a chain can still leave.
constexpr ScreenOptions screen_options{.screen = Screen::ratio};

}  // namespace

std::variant<PendingStep, StepInfo> propose_step(const State& state, const StepKernel& kernel,
                                                 const SurrogateDensity& surrogate, Rng& rng) {
  if (rng.uniform() < kernel.two_stage_share) {
    // Now and then shorter and longer: the walk is shaped by the whole posterior, and tails may be narrower.
    constexpr double sizes[] = {0.3, 1, 2};
    const RandomWalk walk{sizes[rng.below(3)] * kernel.walk.scales, kernel.walk.directions};
    auto screened = screen(state, walk, screen_options, surrogate.pair, surrogate.prior, rng);
    if (auto* survivor = std::get_if<Survivor>(&screened)) return PendingStep{std::move(*survivor), walk};
    return std::get<StepInfo>(screened);
  }
  Excursion away = excursion(state.position, kernel.inner, kernel.excursion_steps, surrogate, rng);
  if (away.accepted > 0) return PendingStep{std::move(away), {}};
  return StepInfo{Verdict::screened_out, 0, std::nullopt};
}

Transition settle(const State& state, const PendingStep& pending, const PriorAt& prior, const Exact& exact) {
  if (const auto* away = std::get_if<Excursion>(&pending.step)) return settle(state, *away, prior, exact);
  return settle(state, std::get<Survivor>(pending.step), exact, pending.walk, screen_options);
}

}  // namespace hunch
