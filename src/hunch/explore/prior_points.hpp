// PriorBox: where the prior is, in positions, and points that fill it.
#pragma once

#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

// Medians and half-widths (about one standard deviation). A flat prior has none, and is given those of the
// starts.
struct PriorBox {
  Vector centre;
  Vector width;
};
PriorBox prior_box(const Parameters& parameters, const std::vector<Vector>& starts);

// Points that fill the prior evenly: one in each of `count` slices of every parameter.
std::vector<Vector> fill_prior(const Parameters& parameters, const PriorBox& box, Index count,
                               std::uint64_t seed);

}  // namespace hunch
