// RunTable: how far a run is, in words: a table with a row for each chain, or one line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hunch/cli/live_diagnostics.hpp"

namespace hunch::cli {

// What a look at the run's progress does not say by itself.
struct Standing {
  Index draws;  // of each chain, to be kept
  std::optional<Quality> quality;
  std::optional<double> evaluations_per_second;
  double seconds_taken;
  std::optional<double> seconds_left;
};

std::string phase_in_words(const Progress& at, Index draws);  // exploring, burn-in or sampling
std::vector<std::string> table_of(const Progress& at, const Standing& standing);
std::string line_of(const Progress& at, const Standing& standing);

}  // namespace hunch::cli
