// TransitionStep: one step of a chain on a landscape, split where money is spent: an excursion, or now and
// then a two-stage random-walk step.
//
//   set_out   : (state, landscape, ..., rng)  -> Errand, or a StepInfo if there is nothing to pay for
//   come_back : (state, errand, what was paid) -> Transition
#pragma once

#include <variant>

#include "hunch/run/inner_kernel.hpp"
#include "hunch/sampler/two_stage.hpp"
#include "hunch/surrogate/lesson.hpp"

namespace hunch {

struct Errand {
  std::variant<Excursion, Survivor> step;
  RandomWalk walk;  // of a two-stage step

  bool is_excursion() const { return std::holds_alternative<Excursion>(step); }
  const Vector& position() const {
    return std::visit([](const auto& one) -> const Vector& { return one.position; }, step);
  }
};

// Free. `two_stage_share` of all steps are two-stage ones.
std::variant<Errand, StepInfo> set_out(const State& state, const Landscape& landscape,
                                       const Parameters& parameters, const InnerChoice& inner,
                                       double two_stage_share, Rng& rng);

Transition come_back(const State& state, const Errand& errand, const Lesson& paid);

}  // namespace hunch
