// SummaryText: a run's result as people read it and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "hunch/diagnostics/summary.hpp"
#include "hunch/run/run.hpp"

namespace hunch::cli {

void print_summary(const std::vector<ParameterSummary>& summary);
void print_bill(const RunResult& result);

// {"parameters": {name: {mean, sd, q5, ...}}, "run": {evaluations, iterations, draws, seconds, draws_sha256}}
nlohmann::ordered_json to_json(const std::vector<ParameterSummary>& summary, const RunResult& result,
                               double seconds);

}  // namespace hunch::cli
