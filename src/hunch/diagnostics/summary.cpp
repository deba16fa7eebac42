#include "hunch/diagnostics/summary.hpp"

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

}  // namespace hunch
