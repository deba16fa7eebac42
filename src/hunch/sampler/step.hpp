// Step: one step of a chain that walks on a surrogate, split where an evaluation is made: an excursion, or a
// two-stage random-walk step.
//
//   propose_step : (state, kernel, surrogate, rng)      -> PendingStep | StepInfo (nothing to evaluate)
//   settle       : (state, pending step, exact value)   -> Transition
//
// Where excursions may not go every step is of two stages, and of those that cross the border the acceptance
// makes up for it.
#pragma once

#include <variant>

#include "hunch/sampler/excursion.hpp"
#include "hunch/sampler/two_stage.hpp"

namespace hunch {

struct StepKernel {
  InnerKernel inner;
  Index excursion_steps = 0;   // J
  RandomWalk walk;             // of two-stage steps
  double two_stage_share = 0;  // of the steps from where excursions may go
};

struct PendingStep {
  std::variant<Excursion, Survivor> step;
  RandomWalk walk;   // of a two-stage step
  double log_share;  // log of the probability with which it was one

  bool is_excursion() const { return std::holds_alternative<Excursion>(step); }
  const Vector& position() const {
    return std::visit([](const auto& one) -> const Vector& { return one.position; }, step);
  }
};

std::variant<PendingStep, StepInfo> propose_step(const State& state, const StepKernel& kernel,
                                                 const SurrogateDensity& surrogate, Rng& rng);

Transition settle(const State& state, const PendingStep& pending, const PriorAt& prior, const Exact& exact);

}  // namespace hunch
