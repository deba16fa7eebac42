#include "hunch/sampler/step.hpp"

#include <cmath>
#include <utility>

namespace hunch {

namespace {

// It compares the two ends of a move: where the surrogate is far too low, from where no excursion is
// accepted, a chain can still leave.
constexpr ScreenOptions screen_options{.screen = Screen::ratio};

}  // namespace

// A two-stage step is chosen with probability p, 1 outside the region, so that it must leave Pi p invariant,
// not Pi: then Pi(x) p(x) K(x, y) is symmetric. To it, p is a part of the prior.
std::variant<PendingStep, StepInfo> propose_step(const State& state, const StepKernel& kernel,
                                                 const SurrogateDensity& surrogate, Rng& rng) {
  const auto share = [&](const Vector& x) {
    return surrogate.trusted && !surrogate.trusted(x) ? 1 : kernel.two_stage_share;
  };
  const double share_here = share(state.position);
  if (rng.uniform() < share_here) {
    State weighted = state;
    weighted.prior.log_density += std::log(share_here);
    const auto prior = [&](const Vector& x) {
      PriorAt there = surrogate.prior(x);
      there.log_density += std::log(share(x));
      return there;
    };
    // Now and then shorter and longer: the walk is shaped by the whole posterior, and tails may be narrower.
    constexpr double sizes[] = {0.3, 1, 2};
    const RandomWalk walk{sizes[rng.below(3)] * kernel.walk.scales, kernel.walk.directions};
    auto screened = screen(weighted, walk, screen_options, surrogate.pair, prior, rng);
    if (auto* survivor = std::get_if<Survivor>(&screened))
      return PendingStep{std::move(*survivor), walk, std::log(share_here)};
    return std::get<StepInfo>(screened);
  }
  Excursion away = excursion(state.position, kernel.inner, kernel.excursion_steps, surrogate, rng);
  if (away.accepted > 0) return PendingStep{std::move(away), {}, 0};
  return StepInfo{Verdict::screened_out, 0, std::nullopt};
}

Transition settle(const State& state, const PendingStep& pending, const PriorAt& prior, const Exact& exact) {
  if (const auto* away = std::get_if<Excursion>(&pending.step)) return settle(state, *away, prior, exact);
  State weighted = state;
  weighted.prior.log_density += pending.log_share;
  Transition made = settle(weighted, std::get<Survivor>(pending.step), exact, pending.walk, screen_options);
  made.state.prior = made.info.verdict == Verdict::accepted ? prior : state.prior;
  return made;
}

}  // namespace hunch
