// ChainLoop: the one loop of the chain methods: screen for free, pay for all survivors together, settle,
// learn.
#pragma once

#include "hunch/run/purse.hpp"
#include "hunch/run/run.hpp"

namespace hunch {

using OnRound = std::function<void(const Progress&)>;

// As run() does for methods that do not explore. What is in `known` was paid for already: the surrogate
// begins with it, and a start that is among it costs nothing.
RunResult run_chains(const Parameters& parameters, Purse& purse, const RunSettings& settings,
                     const OnRound& on_round, const std::vector<Vector>& starts, const Proposal& proposal,
                     const std::vector<Lesson>& known);

}  // namespace hunch
