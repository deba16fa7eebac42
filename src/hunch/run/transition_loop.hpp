// TransitionLoop: explore, then draw by surrogate transitions, exactly, or audit the surrogate and draw from
// it.
#pragma once

#include "hunch/run/chain_loop.hpp"

namespace hunch {

// One chain for each start. Starts are where exploring begins, beside points that fill the prior.
RunResult run_transitions(const Parameters& parameters, Purse& purse, const RunSettings& settings,
                          const OnRound& on_round, const std::vector<Vector>& starts);

}  // namespace hunch
