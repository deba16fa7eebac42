#include "hunch/diagnostics/summary.hpp"

#include <algorithm>

#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/convergence.hpp"
#include "hunch/diagnostics/pooled.hpp"

namespace hunch {

std::vector<ParameterSummary> summarise(const Draws& draws) {
  std::vector<ParameterSummary> lines;
  for (Index p = 0; p < draws.parameters(); ++p) {
    const Matrix x = draws.parameter(p);
    lines.push_back({.name = draws.names()[static_cast<std::size_t>(p)],
                     .mean = mean(x),
                     .sd = sd(x),
                     .mad = mad(x),
                     .q5 = quantile(x, 0.05),
                     .median = median(x),
                     .q95 = quantile(x, 0.95),
                     .rhat = rhat(x),
                     .ess_bulk = ess_bulk(x),
                     .ess_tail = ess_tail(x),
                     .mcse_mean = mcse_mean(x),
                     .mcse_sd = mcse_sd(x)});
  }
  return lines;
}

bool converged(const std::vector<ParameterSummary>& summary, Index chains) {
  const double enough = 100.0 * static_cast<double>(chains);
  return std::all_of(summary.begin(), summary.end(), [&](const ParameterSummary& p) {
    return p.rhat.value_or(infinity) <= 1.01 && p.ess_bulk.value_or(0) >= enough &&
           p.ess_tail.value_or(0) >= enough;
  });
}

}  // namespace hunch
