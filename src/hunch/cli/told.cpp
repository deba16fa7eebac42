#include "hunch/cli/told.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cmath>

#include "hunch/cli/terminal.hpp"

namespace hunch::cli {

namespace {

// One line: the draws of a run in progress belong to its own process.
[[noreturn]] void refuse_while_in_use(const std::string& folder, const StoreInUse& error) {
  const auto news = news_of(folder, error);
  if (!news) throw StoreInUse(std::string(error.what()) + "; try again when it has ended");
  const RunProgress& at = news->progress;
  const std::string left = at.seconds_left ? ", about " + clock_text(*at.seconds_left) + " left" : "";
  throw StoreInUse(
      fmt::format("{} is in progress: {} of {} iterations {} s ago{}; `hunch status {}` follows "
                  "it; try this again when it has ended",
                  folder, at.iterations, at.iterations_total, std::llround(news->seconds_ago), left, folder));
}

}  // namespace

Told::Told(const std::string& folder)
    : directory(RunDirectory::open(folder)),
      job(make_job(directory.config(), directory.base())),
      store(directory.store(), job.identity, Durability::full),
      result(replay(job, store)),
      last_session(read_progress(folder)) {
  for (const Record& record : store.all()) model_seconds += record.seconds;
}

std::vector<ParameterSummary> Told::summary() const {
  return has_draws() ? summarise(result.draws) : std::vector<ParameterSummary>{};
}

Told told_or_refused(const std::string& folder) {
  try {
    return Told(folder);
  } catch (const StoreInUse& error) {
    refuse_while_in_use(folder, error);
  }
}

std::optional<News> news_of(const std::string& folder, const StoreInUse& in_use) {
  const auto progress = read_progress(folder);
  if (!progress || progress->ending) return std::nullopt;
  // Whoever has the store has signed its lock: a run that was killed may be read by somebody at this moment.
  const std::string signature = fmt::format("process {} on ", progress->process);
  if (std::string_view(in_use.what()).find(signature) == std::string_view::npos) return std::nullopt;
  std::error_code trouble;
  const auto written =
      std::filesystem::last_write_time(std::filesystem::path(folder) / "progress.json", trouble);
  if (trouble) return std::nullopt;
  const std::chrono::duration<double> age = std::filesystem::file_time_type::clock::now() - written;
  return News{*progress, std::max(0.0, age.count())};
}

}  // namespace hunch::cli
