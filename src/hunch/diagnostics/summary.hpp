// Summary: one line per parameter of what the draws say and how far to trust it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hunch/draws/draws.hpp"

namespace hunch {

// Columns as in R's posterior; no value where posterior says NA.
struct ParameterSummary {
  std::string name;
  std::optional<double> mean, sd, mad, q5, median, q95;
  std::optional<double> rhat, ess_bulk, ess_tail, mcse_mean, mcse_sd;
};

// In the order of the draws' names; chains must be of equal length.
std::vector<ParameterSummary> summarise(const Draws& draws);

// R-hat at most 1.01 and 100 effective draws a chain, for every parameter: the usual thresholds.
bool converged(const std::vector<ParameterSummary>& summary, Index chains);

}  // namespace hunch
