// Findings: what the diagnostics say of a run's draws, worked out once for the whole page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hunch/diagnostics/summary.hpp"
#include "hunch/report/plot.hpp"
#include "hunch/report/report_data.hpp"

namespace hunch {

struct Findings {
  Index chains = 0, length = 0;           // kept draws of each chain
  std::vector<ParameterSummary> summary;  // of each parameter; empty without draws
  std::optional<double> worst_rhat;       // over parameters that have one
  std::optional<double> least_ess_bulk, least_ess_tail;
  std::vector<Index> doubtful;  // all parameters, the least converged first

  bool has_draws() const { return length > 0; }
};

Findings findings_of(const ReportData& data);

// The first `most` of the doubtful ones, in the order of the parameters.
std::vector<Index> least_converged(const Findings& findings, Index most);

// The finite values of one parameter, all chains together, sorted.
std::vector<double> sorted_values(const Draws& draws, Index parameter);
double quantile_of_sorted(const std::vector<double>& sorted, double share);  // of at least one value

// Where plots of this parameter look: nearly all draws, with some room.
Range range_of_draws(const Draws& draws, Index parameter);

}  // namespace hunch
