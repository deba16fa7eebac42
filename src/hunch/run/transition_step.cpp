#include "hunch/run/transition_step.hpp"

#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

// Of two-stage steps: it compares the two ends of a move, so that a chain where the surrogate is far too low,
// from which no excursion is accepted, can still leave.
constexpr ScreenOptions mixed_screen{.screen = Screen::ratio};

PairBelief beliefs(const Landscape& landscape, const Vector& x, const Vector& y) {
  Matrix ends(x.size(), 2);
  ends << x, y;
  TrendProcess::Joint joint = landscape.joint(ends);
  return {std::move(joint.means), Vector::Zero(2), std::move(joint.covariance), 0};
}

std::variant<Errand, StepInfo> set_out_in_two_stages(const State& state, const Landscape& landscape,
                                                     const Parameters& parameters, Rng& rng) {
  const Index d = parameters.dimension();
  constexpr double sizes[] = {0.3, 1, 2};
  const double size = sizes[rng.below(3)] * 2.38 / std::sqrt(static_cast<double>(d));
  RandomWalk walk{Vector::Constant(d, size), landscape.frame().factor};
  auto screened = screen(
      state, walk, mixed_screen, [&](const Vector& x, const Vector& y) { return beliefs(landscape, x, y); },
      [&](const Vector& x) {
        return PriorAt{parameters.log_prior(x), {}};
      },
      rng);
  if (auto* survivor = std::get_if<Survivor>(&screened)) return Errand{std::move(*survivor), std::move(walk)};
  return std::get<StepInfo>(screened);
}

}  // namespace

std::variant<Errand, StepInfo> set_out(const State& state, const Landscape& landscape,
                                       const Parameters& parameters, const InnerChoice& inner,
                                       double two_stage_share, Rng& rng) {
  if (two_stage_share > 0 && rng.uniform() < two_stage_share)
    return set_out_in_two_stages(state, landscape, parameters, rng);
  const SurrogateDensity surrogate = density_of(landscape, parameters, inner.lifts);
  Excursion away = excursion(state.position, inner.kernel, inner.steps, surrogate, rng);
  if (away.accepted > 0) return Errand{std::move(away), {}};
  return StepInfo{Verdict::screened_out, 0, std::nullopt};
}

Transition come_back(const State& state, const Errand& errand, const Lesson& paid) {
  const Exact exact{paid.log_likelihood, std::nullopt};
  if (const auto* away = std::get_if<Excursion>(&errand.step))
    return settle(state, *away, PriorAt{paid.log_prior, {}}, exact);
  return settle(state, std::get<Survivor>(errand.step), exact, errand.walk, mixed_screen);
}

}  // namespace hunch
