// Excursion: a surrogate transition, split where money is spent: many free steps on the surrogate's density,
// then one exact evaluation and one exact acceptance.
//
//   excursion : (state, inner kernel, J, surrogate, rng) -> Excursion (where the free steps ended)
//   settle    : (state, excursion, exact value)          -> Transition
//
// The free steps are reversible for G = prior exp(s), so that accepting with 1 ^ Pi(y) G(x) / (Pi(x) G(y))
// is reversible for Pi. J and the kernel must not depend on the path, and s not on the chain's state.
#pragma once

#include <functional>
#include <variant>

#include "hunch/core/rng.hpp"
#include "hunch/sampler/state.hpp"

namespace hunch {

// log G = log prior + s, up to one constant; minus infinity outside the prior's support.
struct SurrogateDensity {
  std::function<double(const Vector& position)> log_density;
  // The same with its gradient, where log_density is finite.
  std::function<double(const Vector& position, Vector& gradient)> log_density_and_gradient;
  // Where excursions may go; everywhere if empty.
  std::function<bool(const Vector& position)> trusted = {};
  // For two-stage steps.
  std::function<PairBelief(const Vector& x, const Vector& y)> pair = {};
  std::function<PriorAt(const Vector& position)> prior = {};
};

// Random-walk steps of `scale` times factor z, now and then of a third of that, and differences of two
// columns of `archive`, a fixed set of positions, which reach from mode to mode.
struct InnerWalk {
  Matrix factor;
  double scale;
  Matrix archive;  // may be empty
};

// Hamiltonian trajectories of `leaps` leapfrog steps in the coordinates z = factor^-1 x, the step's size
// drawn afresh for each within a fifth of `step`, or now and then of a quarter of it.
struct InnerHamiltonian {
  Matrix factor;
  double step;
  Index leaps;
};

using InnerKernel = std::variant<InnerWalk, InnerHamiltonian>;

struct Excursion {
  Vector position;
  double log_density_from;  // of G, at both ends
  double log_density_to;
  Index accepted;  // of the free steps
  double log_uniform;
};

Excursion excursion(const Vector& from, const InnerKernel& kernel, Index steps,
                    const SurrogateDensity& surrogate, Rng& rng);

// `exact` is the evaluation at the excursion's end, `prior` the prior there. If the excursion came back to
// where it began there is nothing to pay for, and the state's own exact value serves.
Transition settle(const State& state, const Excursion& excursion, const PriorAt& prior, const Exact& exact);

}  // namespace hunch
