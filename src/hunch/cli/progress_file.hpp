// ProgressFile: what a running process says about its run in progress.json, for those whom the store's lock
// keeps out.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "hunch/cli/live_diagnostics.hpp"

namespace hunch::cli {

struct RunProgress {
  std::string phase = "burn-in";           // exploring, burn-in or sampling
  std::optional<std::string> ending = {};  // of the session; nothing while it runs, or when it was killed
  Index iterations = 0;                    // over all chains, burn-in included
  Index iterations_total = 0;
  Index kept = 0;                    // draws that every chain has kept
  std::int64_t evaluations = 0;      // rows of the store
  std::int64_t failed_attempts = 0;  // among them
  double stage1_rate = 0;            // survivors among iterations
  double stage2_rate = 0;            // accepted among survivors
  Quality quality = {};
  std::optional<double> seconds_left = {};
  double seconds = 0;        // wall time over all sessions
  double model_seconds = 0;  // of all evaluations
  pid_t process = 0;
  std::string started_at;  // of this session, UTC: 2030-01-31T12:00:00Z
  std::string updated_at;
};

nlohmann::ordered_json to_json(const RunProgress& progress);

// Whole or not at all. A disk that is full does not stop a run here: the store will say so, with what it
// knows.
void write_progress(const std::filesystem::path& folder, const RunProgress& progress);

// Nothing if there is none that makes sense.
std::optional<RunProgress> read_progress(const std::filesystem::path& folder);

std::string utc_now();

}  // namespace hunch::cli
