// Paid: one evaluation in the books of a run: where, what the surrogate said before, what came back, what it
// was for.
#pragma once

#include <cstdint>
#include <optional>

#include "hunch/core/types.hpp"
#include "hunch/sampler/state.hpp"

namespace hunch {

struct Prediction {
  double log_likelihood;
  double deviation;  // claimed, nats
};

// The step of a chain that was paid for.
struct SettledStep {
  Verdict verdict;          // accepted or rejected
  std::int64_t iterations;  // over all chains, up to this step
};

struct Paid {
  Vector theta;
  double log_likelihood;                               // minus infinity: zero; NaN: the model failed
  std::optional<Prediction> predicted = std::nullopt;  // nothing where there was no surrogate yet
  std::optional<SettledStep> step = std::nullopt;      // nothing: paid for to learn
};

}  // namespace hunch
