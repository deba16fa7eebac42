// Tails: how heavy they are, from the draws themselves.
#pragma once

#include <optional>

#include "hunch/core/types.hpp"

namespace hunch {

// The shape k of the generalised Pareto distribution of exceedances (> 0): a tail with shape k has finite
// moments up to the order 1 / k. By Zhang and Stephens (2009), as R's loo computes it without its prior on k.
// No value for fewer than 5 exceedances, or equal ones.
std::optional<double> pareto_shape(Vector exceedances);

struct TailShape {
  double shape;
  double error;  // standard error
};
// The larger of the two tails' shapes, each of the min(S / 5, 3 sqrt(S)) outermost of the S draws, and its
// asymptotic error (1 + k) / sqrt(n), n of them counted as draws of the tail are effective. No value where
// R-hat has none.
std::optional<TailShape> tail_shape(const Matrix& x);

// The largest tail shape with which so many draws give a reliable sd: an average of S draws is reliable for
// shapes below min(1 - 1 / log10(S), 0.7) (Vehtari, Simpson, Gelman, Yao, Gabry, 2024), and squares have
// twice the shape.
double largest_shape_for_sd(Index draws);

}  // namespace hunch
