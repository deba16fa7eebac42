// AnswerWith: how a problem in closed form answers: its value, its gradient when wanted, or that theta is
// impossible.
#pragma once

#include "hunch/core/numeric.hpp"
#include "hunch/core/types.hpp"

namespace hunch {

// Minus infinity, without gradient, where the value is below -1e100 or is no number. `gradient` is called
// only when it is wanted, so that the value never depends on what else was.
template <typename Gradient>
Exact answer_with(double value, Want want, const Gradient& gradient) {
  if (!(value > -1e100)) return {-infinity, std::nullopt};
  if (want == Want::value) return {value, std::nullopt};
  return {value, Vector(gradient())};
}

}  // namespace hunch
