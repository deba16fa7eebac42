// ReportSource: what the page about a run shows, gathered from the run's own parts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hunch/evaluation/store.hpp"
#include "hunch/report/report_data.hpp"
#include "hunch/run/job.hpp"

namespace hunch::cli {

// What neither the job nor its result knows.
struct RunFacts {
  std::string folder;
  const Store& store;
  std::optional<double> seconds;  // wall time over all sessions
};

ReportData report_of(const Job& job, const RunResult& result, const RunFacts& facts);

// While it goes on.
ReportData report_of(const Job& job, const Progress& at, const RunFacts& facts);

// Of a run that has no directory: without the times of its evaluations.
struct BareRun {
  std::string name;
  std::string problem;
  std::string method;
  const Parameters& parameters;
  const RunSettings& settings;
  std::string command;  // that makes it again
  std::optional<double> seconds;
};
ReportData report_of(const BareRun& run, const RunResult& result);

// What a user should know of how it went: the run's own remarks, and points where the model failed for good.
std::vector<std::string> remarks_of(const RunResult& result);

// The command that keeps twice the draws of each chain and starts from what this run has paid for.
std::string longer_run(Index draws, const std::string& folder);

// Whole or not at all, over what is there.
void write_report(const std::filesystem::path& file, const ReportData& data);

}  // namespace hunch::cli
