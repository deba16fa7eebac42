#include "hunch/report/findings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hunch {

namespace {

std::optional<double> smaller(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Higher is worse; a parameter without diagnostics is the worst of all.
double doubt(const ParameterSummary& p) {
  if (!p.rhat) return std::numeric_limits<double>::infinity();
  return std::max(*p.rhat - 1, 0.0) + 1 / std::max(1.0, p.ess_bulk.value_or(1));
}

}  // namespace

Findings findings_of(const ReportData& data) {
  Findings found;
  found.chains = data.draws.chains();
  found.length = found.chains > 0 ? data.draws.length(0) : 0;
  found.doubtful.resize(static_cast<std::size_t>(data.draws.parameters()));
  std::iota(found.doubtful.begin(), found.doubtful.end(), 0);
  if (!found.has_draws()) return found;
  found.summary = summarise(data.draws);
  for (const ParameterSummary& p : found.summary) {
    if (p.rhat) found.worst_rhat = std::max(found.worst_rhat.value_or(*p.rhat), *p.rhat);
    found.least_ess_bulk = smaller(found.least_ess_bulk, p.ess_bulk);
    found.least_ess_tail = smaller(found.least_ess_tail, p.ess_tail);
  }
  std::stable_sort(found.doubtful.begin(), found.doubtful.end(), [&](Index a, Index b) {
    return doubt(found.summary[static_cast<std::size_t>(a)]) >
           doubt(found.summary[static_cast<std::size_t>(b)]);
  });
  return found;
}

std::vector<Index> least_converged(const Findings& findings, Index most) {
  std::vector<Index> chosen = findings.doubtful;
  if (static_cast<Index>(chosen.size()) > most) chosen.resize(static_cast<std::size_t>(most));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<double> sorted_values(const Draws& draws, Index parameter) {
  std::vector<double> values;
  for (Index c = 0; c < draws.chains(); ++c)
    for (const double value : draws.chain(c).col(parameter))
      if (std::isfinite(value)) values.push_back(value);
  std::sort(values.begin(), values.end());
  return values;
}

double quantile_of_sorted(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

Range range_of_draws(const Draws& draws, Index parameter) {
  const std::vector<double> sorted = sorted_values(draws, parameter);
  if (sorted.empty()) return {0, 1};
  return with_room({quantile_of_sorted(sorted, 0.001), quantile_of_sorted(sorted, 0.999)}, 0.06);
}

}  // namespace hunch
