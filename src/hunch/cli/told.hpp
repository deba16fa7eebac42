// Told: a run as it can be told from its directory: by its store, or by its own process while that has the
// store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hunch/cli/progress_file.hpp"
#include "hunch/cli/summary_text.hpp"
#include "hunch/evaluation/store_error.hpp"
#include "hunch/run/run_directory.hpp"
#include "hunch/run/session.hpp"

namespace hunch::cli {

// A run as its store tells it: nothing is evaluated, nothing else is read but how long it took.
struct Told {
  RunDirectory directory;
  Job job;
  Store store;
  RunResult result;
  std::optional<RunProgress> last_session;
  double model_seconds = 0;

  explicit Told(const std::string& folder);  // StoreInUse while somebody else has the store

  bool has_draws() const { return result.draws.chains() > 0 && result.draws.length(0) > 0; }
  std::vector<ParameterSummary> summary() const;
  Times times() const {
    return {last_session ? std::optional(last_session->seconds) : std::nullopt, model_seconds};
  }
  bool was_killed() const { return last_session && !last_session->ending; }
};

// The same, but what keeps it from being told is one line that says how the run goes and when to ask again.
Told told_or_refused(const std::string& folder);

// What its own process last said of a run that is in use, and how long ago.
struct News {
  RunProgress progress;
  double seconds_ago;
};

// Nothing if it is not the run's own process that has the store, or if that has not said anything yet.
std::optional<News> news_of(const std::string& folder, const StoreInUse& in_use);

}  // namespace hunch::cli
