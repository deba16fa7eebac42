// PriorStart: where a chain that knows nothing but the prior begins, and how far it looks.
#pragma once

#include "hunch/core/rng.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

// A draw from the prior, as a position. A parameter whose prior is improper, as the banana's, is drawn
// uniformly from (-2, 2) as a position. One uniform number for each parameter.
Vector prior_start(const Parameters& parameters, Rng& rng);

// Half the distance between the prior's 16 % and 84 % quantiles, in positions; 1 where it is improper.
Vector prior_spread(const Parameters& parameters);

}  // namespace hunch
