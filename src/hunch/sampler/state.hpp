// State: where a chain is, with everything that was paid for there, and what became of one step.
#pragma once

#include <optional>

#include "hunch/core/types.hpp"

namespace hunch {

// The prior at a position: free, exact.
struct PriorAt {
  double log_density;  // including the Jacobian of the transform
  Vector gradient;     // empty where the proposal does not use gradients
};

// Exact's gradient is with respect to the position here.
struct State {
  Vector position;
  PriorAt prior;
  Exact exact;
};

enum class Verdict {
  outside_support,  // the prior is zero there: no evaluation
  screened_out,     // stage 1 said no: no evaluation
  rejected,         // stage 2 said no: one evaluation
  accepted,         // stage 2 said yes: one evaluation
};

struct StepInfo {
  Verdict verdict;
  double log_alpha_1;
  std::optional<double> log_alpha_2;

  bool evaluated() const { return verdict == Verdict::rejected || verdict == Verdict::accepted; }
};

struct Transition {
  State state;
  StepInfo info;
};

}  // namespace hunch
