// Two-stage steps: stage 1 (screen) is free, stage 2 (settle) is paid for and keeps the target exact.
//
//   screen : (state, proposal, surrogate, prior, rng) -> Survivor (a point worth paying for) | StepInfo
//   (stayed) settle : (state, survivor, exact value)           -> Transition
//
// Between the two the caller pays for one evaluation. The surrogate must not learn in between: the reverse
// stage-1 probability belongs to the same frozen set of evaluations I as the forward one.
#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "hunch/core/rng.hpp"
#include "hunch/sampler/proposal.hpp"
#include "hunch/sampler/state.hpp"

namespace hunch {

// What the sampler is given, for free. The pair belief covers values for a random walk, and values and
// gradients for Langevin proposals. It must not depend on the chain's state.
using Beliefs = std::function<PairBelief(const Vector& x, const Vector& y)>;
using PriorFunction = std::function<PriorAt(const Vector& position)>;

enum class Screen {
  none,   // one stage: every proposal survives (plain MH, MALA)
  paper,  // paper eq. (4), prior mean at the log-likelihood of the state the step starts from
  ratio,  // marginalises the ratio: both ends' uncertainty and their covariance
  early,  // one uniform for both stages: plain MH, rejected early where the surrogate already knows
};

struct ScreenOptions {
  Screen screen = Screen::early;
  // Lowest alpha_1 of `paper` and `ratio`, in [0, 1): a frozen kernel keeps this share of MH's gap.
  double floor = 0;
  // `early` takes the surrogate's value plus this many standard deviations, >= 0: where a surrogate errs
  // upwards it costs an evaluation, where it errs downwards it costs a move.
  double optimism = 1;
};

// A proposal that passed stage 1, with all that settling it needs.
struct Survivor {
  Vector position;
  PriorAt prior;
  std::optional<PairBelief>
      belief;  // of (state, survivor); none if the screen needed none, or it was unusable
  double log_alpha_1;
  double log_uniform;  // stage 2 accepts if this is below log alpha_2; `early` shares it with stage 1
};

// One end of a move, as stage 1 sees it: prior, and what the surrogate believes (index into a PairBelief).
struct End {
  const Vector& position;
  const PriorAt& prior;
  enum class Side { x, y } side;
};

// log alpha_1(from -> to) of the screens `paper` and `ratio`: the same code serves the forward and the
// reverse direction. log_q is log q(to | from) by the exact gradient at `from`, from_log_likelihood the exact
// value there.
double log_alpha_1(const ScreenOptions& options, const Proposal& proposal, const PairBelief& belief,
                   const End& from, const End& to, double log_q, double from_log_likelihood);

std::variant<Survivor, StepInfo> screen(const State& state, const Proposal& proposal,
                                        const ScreenOptions& options, const Beliefs& beliefs,
                                        const PriorFunction& prior_at, Rng& rng);

// The exact gradient must be present if the proposal uses it.
Transition settle(const State& state, const Survivor& survivor, const Exact& exact, const Proposal& proposal,
                  const ScreenOptions& options);

}  // namespace hunch
