// Differences: whether a run may be resumed with a config that is no longer the one it began with.
#pragma once

#include <optional>
#include <string>

#include "hunch/config/config.hpp"

namespace hunch {

// The first difference that could change a draw, in the user's words:
//   parameters.beta.prior: the run has "lognormal(1, 0.5)", the config now says "lognormal(1, 0.6)"
// Nothing if there is none: comments, order of keys (but not of parameters), timeout, attempts, on_failure,
// the urls and the budget may change. Paths are compared as text: resolve both or neither.
std::optional<std::string> first_difference(const Config& stored, const Config& now);

}  // namespace hunch
