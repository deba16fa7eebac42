// Step: one step of a chain that walks on a surrogate, split where an evaluation is made: an excursion, or a
// two-stage random-walk step.
//
//   propose_step : (state, kernel, surrogate, rng)      -> PendingStep | StepInfo (nothing to evaluate)
//   settle       : (state, pending step, exact value)   -> Transition
//
// A fixed mixture of two kernels that leave the target invariant leaves it invariant.
#pragma once

#include <variant>

#include "hunch/sampler/excursion.hpp"
#include "hunch/sampler/two_stage.hpp"

namespace hunch {

struct StepKernel {
  InnerKernel inner;
  Index excursion_steps = 0;   // J
  RandomWalk walk;             // of two-stage steps
  double two_stage_share = 0;  // of all steps
};

struct PendingStep {
  std::variant<Excursion, Survivor> step;
  RandomWalk walk;  // of a two-stage step

  bool is_excursion() const { return std::holds_alternative<Excursion>(step); }
  const Vector& position() const {
    return std::visit([](const auto& one) -> const Vector& { return one.position; }, step);
  }
};

std::variant<PendingStep, StepInfo> propose_step(const State& state, const StepKernel& kernel,
                                                 const SurrogateDensity& surrogate, Rng& rng);

Transition settle(const State& state, const PendingStep& pending, const PriorAt& prior, const Exact& exact);

}  // namespace hunch
