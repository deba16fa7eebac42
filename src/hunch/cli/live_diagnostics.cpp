#include "hunch/cli/live_diagnostics.hpp"

#include <algorithm>
#include <chrono>

#include "hunch/diagnostics/convergence.hpp"

namespace hunch::cli {

namespace {

constexpr Index fewest_draws = 50;  // of a chain: below, the numbers say nothing
constexpr double share_of_time = 0.02;
constexpr double shortest_pause_seconds = 2;

// The least of both, by `before`; a value that is missing stays missing.
template <typename Before>
void keep(std::optional<double>& kept, const std::optional<double>& value, Before before) {
  if (kept && (!value || before(*value, *kept))) kept = value;
}

struct Numbers {
  std::optional<double> rhat, ess_bulk, ess_tail;
};

Quality worst_of(const std::vector<Numbers>& parameters) {
  Quality quality{parameters.front().rhat, parameters.front().ess_bulk, parameters.front().ess_tail};
  for (const Numbers& one : parameters) {
    keep(quality.worst_rhat, one.rhat, std::greater<>());
    keep(quality.least_ess_bulk, one.ess_bulk, std::less<>());
    keep(quality.least_ess_tail, one.ess_tail, std::less<>());
  }
  return quality;
}

}  // namespace

std::optional<Quality> quality_of(const std::vector<ParameterSummary>& summary) {
  if (summary.empty()) return std::nullopt;
  std::vector<Numbers> parameters;
  for (const ParameterSummary& p : summary) parameters.push_back({p.rhat, p.ess_bulk, p.ess_tail});
  return worst_of(parameters);
}

const std::optional<Quality>& LiveDiagnostics::look(const Progress& at, double now) {
  if (at.kept < fewest_draws || now < due_) return quality_;
  const auto begun = std::chrono::steady_clock::now();
  const Draws draws = at.draws();
  std::vector<Numbers> parameters;
  for (Index p = 0; p < draws.parameters(); ++p) {
    const Matrix values = draws.parameter(p);
    parameters.push_back({rhat(values), ess_bulk(values), ess_tail(values)});
  }
  quality_ = worst_of(parameters);
  const std::chrono::duration<double> cost = std::chrono::steady_clock::now() - begun;
  due_ = now + std::max(shortest_pause_seconds, cost.count() / share_of_time);
  return quality_;
}

}  // namespace hunch::cli
