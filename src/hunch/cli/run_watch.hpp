// RunWatch: tells how a run goes while it goes: to people on the terminal, to other processes in
// progress.json, to browsers in report.html.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "hunch/cli/pace.hpp"
#include "hunch/cli/progress_file.hpp"
#include "hunch/cli/run_table.hpp"
#include "hunch/cli/summary_text.hpp"
#include "hunch/cli/terminal.hpp"
#include "hunch/evaluation/store.hpp"
#include "hunch/run/job.hpp"

namespace hunch::cli {

// Of all chains, as far as it is known beforehand: a method that explores ends burn-in by itself.
Index iterations_of(const Job& job);

enum class Shown { nothing, lines, table };

class RunWatch {
 public:
  // The job, the store and the run's directory are looked at for as long as this object is.
  RunWatch(const Job& job, const Store& store, std::filesystem::path folder, Shown shown);
  ~RunWatch();  // a session that did not end failed
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  void see(const Progress& at);  // after each round; cheap when it was called a moment ago
  void end(const RunResult& result, const std::vector<ParameterSummary>& summary);

  Times times() const { return {told_.seconds, told_.model_seconds}; }  // as last told

 private:
  double seconds() const;  // wall time over all sessions
  double session_seconds() const;
  Standing standing(const std::optional<Quality>& quality) const;
  void show(const Progress& at, const Standing& standing);
  void tell(const Progress& at, const Standing& standing);
  void count_rows();
  void write_snapshot(const Progress& at);

  const Job& job_;
  const Store& store_;
  std::filesystem::path folder_;
  Shown shown_;
  std::chrono::steady_clock::time_point begun_;
  double seconds_before_ = 0;  // of earlier sessions
  Index total_;                // iterations of all chains, as the run last said
  double due_ = 0, line_due_ = 0, file_due_ = 0, snapshot_due_;
  Pace pace_;
  LiveDiagnostics diagnostics_;
  LiveScreen screen_;
  RunProgress told_;
  Index rows_counted_ = 0;
};

}  // namespace hunch::cli
