// Adaptation: learns a proposal's scale during burn-in, from one chain's own past; afterwards it is fixed.
#pragma once

#include "hunch/sampler/proposal.hpp"

namespace hunch {

enum class Reshape { by_spread, never };

struct AdaptationOptions {
  double target_acceptance = 0.3;  // (0, 1): about .44 in one dimension to .234 in many; .574 for Langevin
  Reshape reshape = Reshape::by_spread;  // whether the chain's own spread shapes the proposal ...
  Index spread_from = 50;                // ... after this many iterations, and each time they have doubled
};

// A value: feed it each burn-in iteration, ask it for the proposal of the next one.
class Adaptation {
 public:
  Adaptation(Proposal initial, AdaptationOptions options);

  void observe(const Vector& position, const StepInfo& info);
  const Proposal& proposal() const { return proposal_; }
  const Proposal& initial() const { return initial_; }

 private:
  Proposal reshaped() const;

  AdaptationOptions options_;
  Proposal initial_;
  Proposal shape_;     // directions' relative sizes; log_factor_ multiplies it
  Proposal proposal_;  // shape_ times exp(log_factor_)
  double log_factor_ = 0;
  Index iterations_ = 0;
  // Running mean and sum of squares (Welford) of the positions since the last reshape.
  Index counted_ = 0;
  Index next_reshape_;
  Vector mean_;
  Vector squares_;
};

}  // namespace hunch
