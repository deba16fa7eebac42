// SummaryText: a run's result as people read it and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "hunch/diagnostics/summary.hpp"
#include "hunch/run/run.hpp"

namespace hunch::cli {

void print_summary(const std::vector<ParameterSummary>& summary);
void print_bill(const RunResult& result);

struct Times {
  std::optional<double> seconds;        // wall time over all sessions, if it is known
  std::optional<double> model_seconds;  // of all evaluations on record, if there is a record
};

// {"parameters": {name: {mean, sd, q5, ...}},
//  "run": {evaluations, iterations, draws, seconds, model_seconds, draws_sha256}}
nlohmann::ordered_json to_json(const std::vector<ParameterSummary>& summary, const RunResult& result,
                               const Times& times);

}  // namespace hunch::cli
