// Lesson: one evaluation, as a surrogate sees it.
#pragma once

#include <optional>

#include "hunch/core/types.hpp"

namespace hunch {

// The gradient is with respect to the position.
struct Lesson {
  Vector position;
  double log_likelihood;
  std::optional<Vector> gradient;
  double log_prior;
};

}  // namespace hunch
