// Proposal: where a chain looks next, and how likely it was to look there.
#pragma once

#include <variant>

#include "hunch/core/rng.hpp"
#include "hunch/sampler/state.hpp"

namespace hunch {

// y = x + directions (scales * z): symmetric.
struct RandomWalk {
  Vector scales;
  Matrix directions = {};  // columns; empty: the axes
};

// paper eq. (8), with Lambda diagonal:
//   y = x + (delta/2) Lambda (grad LL(x) + grad log p(x)) + sqrt(delta Lambda) z.
struct Langevin {
  double delta;
  Vector lambda;
};

using Proposal = std::variant<RandomWalk, Langevin>;

inline bool uses_gradient(const Proposal& proposal) {
  return std::holds_alternative<Langevin>(proposal);
}

Vector propose(const Proposal& proposal, const State& from, Rng& rng);

// log q(to | from) by the exact gradient at `from`; symmetric proposals give 0, since only ratios are used.
double log_proposal(const Proposal& proposal, const State& from, const Vector& to);

// The same proposal with every step multiplied by `factor`.
Proposal scaled(const Proposal& proposal, double factor);

// How the surrogate sees h, a log-density (or a difference of two), together with g, the gradient of the
// log-likelihood: jointly Gaussian.
struct JointGaussian {
  double mean_h;
  double variance_h;
  Vector mean_g;
  Vector covariance_gh;
  Matrix covariance_gg;
};

// log E[ e^h q(to | from + (delta/2) Lambda (g + grad log p(from)), delta Lambda) ] over (h, g).
// Corrected Proposition 5: weighting by e^h moves the mean of g by Cov(g, h), so the expectation is
//   exp(mu_h + v_h/2) N(to; from + (delta/2) Lambda (mu_g + k_gh + grad log p), delta Lambda + (delta/2)^2
//   Lambda K_gg Lambda).
// We depart from the paper's printed form, which lacks delta in the g-terms and a determinant
// (docs/design/equations.md).
double log_expected_flow(const Langevin& langevin, const JointGaussian& belief, const Vector& from,
                         const Vector& log_prior_gradient, const Vector& to);

}  // namespace hunch
