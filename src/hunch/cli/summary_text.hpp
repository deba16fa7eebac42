// SummaryText: a run's result as people read it, as JSON, and as an exit code.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "hunch/diagnostics/summary.hpp"
#include "hunch/run/run.hpp"

namespace hunch::cli {

StageCounts all_counts(const RunResult& result);

void print_summary(const std::vector<ParameterSummary>& summary);
void print_bill(const RunResult& result);

// {"parameters": {name: {mean, sd, q5, ...}}, "run": {evaluations, iterations, draws, seconds, draws_sha256}}
nlohmann::ordered_json to_json(const std::vector<ParameterSummary>& summary, const RunResult& result,
                               double seconds);

// R-hat at most 1.01 and 100 effective draws a chain, for every parameter: the usual thresholds.
bool converged(const std::vector<ParameterSummary>& summary, Index chains);

}  // namespace hunch::cli
