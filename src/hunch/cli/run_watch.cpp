#include "hunch/cli/run_watch.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "hunch/cli/report_source.hpp"
#include "hunch/cli/signals.hpp"

namespace hunch::cli {

namespace {

constexpr double table_pause_seconds = 0.2;
constexpr double line_pause_seconds = 5;
constexpr double file_pause_seconds = 3;
// The report of a run in progress is written again after so long, and takes at most a fiftieth of the time.
constexpr double snapshot_pause_seconds = 3;
constexpr double snapshot_share = 0.02;

const char* name_of_ending(Ending ending) {
  switch (ending) {
    case Ending::complete:
      return "complete";
    case Ending::goal_reached:
      return "goal reached";
    case Ending::evaluations_spent:
      return "evaluations spent";
    case Ending::time_spent:
      return "time spent";
    case Ending::interrupted:
      return "interrupted";
  }
  return "";
}

// Before the first round nothing has happened yet.
Progress at_the_start(const Job& job) {
  Progress at{0, iterations_of(job), 0, {}, 0, {}, {}};
  if (!explores(job.settings.method)) at.chains.assign(job.starts.size(), ChainProgress{0, {}});
  return at;
}

// After the last round chains may have gone on for free: the result knows.
Progress at_the_end(const Job& job, const RunResult& result, Index total) {
  if (result.chains.empty()) return at_the_start(job);
  Progress at{0, total, 0, {}, 0, {}, {}};
  const bool counts_burn_in = total > static_cast<Index>(job.starts.size()) * job.settings.draws;
  at.evaluations = result.evaluations;
  at.counts = all_counts(result);
  at.kept = result.draws.chains() > 0 ? result.draws.length(0) : 0;
  for (const ChainResult& chain : result.chains) {
    ChainProgress& one = at.chains.emplace_back(ChainProgress{chain.kept.iterations, {}});
    if (counts_burn_in) one.iteration += chain.warmup.iterations;
    (one.counts += chain.warmup) += chain.kept;
    at.iterations_done += one.iteration;
  }
  return at;
}

}  // namespace

Index iterations_of(const Job& job) {
  const Index burn_in = explores(job.settings.method) ? 0 : job.settings.warmup;
  return static_cast<Index>(job.starts.size()) * (burn_in + job.settings.draws);
}

RunWatch::RunWatch(const Job& job, const Store& store, std::filesystem::path folder, Shown shown)
    : job_(job),
      store_(store),
      folder_(std::move(folder)),
      shown_(shown),
      begun_(std::chrono::steady_clock::now()),
      total_(iterations_of(job)),
      snapshot_due_(snapshot_pause_seconds) {
  if (const auto earlier = read_progress(folder_)) seconds_before_ = earlier->seconds;
  told_.process = ::getpid();
  told_.started_at = utc_now();
  const Progress at = at_the_start(job_);
  tell(at, standing({}));
  if (shown_ == Shown::table) show(at, standing({}));
}

RunWatch::~RunWatch() {
  if (told_.ending) return;
  told_.ending = caught_signal() != 0 ? name_of_ending(Ending::interrupted) : "failed";
  told_.updated_at = utc_now();
  told_.seconds = seconds();
  count_rows();
  write_progress(folder_, told_);
}

double RunWatch::session_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}

double RunWatch::seconds() const {
  return seconds_before_ + session_seconds();
}

Standing RunWatch::standing(const std::optional<Quality>& quality) const {
  return {job_.settings.draws, quality, pace_.evaluations_per_second(), session_seconds(),
          pace_.seconds_left(total_)};
}

void RunWatch::see(const Progress& at) {
  const double now = session_seconds();
  if (now < due_) return;
  due_ = now + table_pause_seconds;
  total_ = at.iterations_total;
  pace_.note(now, at.iterations_done, at.evaluations);
  const Standing standing_now = standing(diagnostics_.look(at, now));
  if (now >= file_due_) tell(at, standing_now);
  if (now >= snapshot_due_) write_snapshot(at);
  if (shown_ == Shown::table || (shown_ == Shown::lines && now >= line_due_)) show(at, standing_now);
}

void RunWatch::end(const RunResult& result, const std::vector<ParameterSummary>& summary) {
  const Progress at = at_the_end(job_, result, total_);
  pace_.note(session_seconds(), at.iterations_done, at.evaluations);
  Standing last = standing(quality_of(summary));
  if (result.ending == Ending::goal_reached) last.seconds_left = 0;
  told_.ending = name_of_ending(result.ending);
  tell(at, last);
  if (shown_ != Shown::nothing) show(at, last);
}

// A window of few rows has no place for the table.
void RunWatch::show(const Progress& at, const Standing& standing_now) {
  if (shown_ == Shown::lines) {
    line_due_ = session_seconds() + line_pause_seconds;
    fmt::print(stderr, "{}\n", line_of(at, standing_now));
    return;
  }
  if (caught_signal() != 0) return;  // what was said about it stands below the table, which stays as it is
  std::vector<std::string> lines = table_of(at, standing_now);
  if (static_cast<int>(lines.size()) >= screen_size().rows) lines = {line_of(at, standing_now)};
  screen_.show(lines);
}

void RunWatch::tell(const Progress& at, const Standing& standing_now) {
  file_due_ = session_seconds() + file_pause_seconds;
  told_.phase = phase_in_words(at, job_.settings.draws);
  told_.iterations = at.iterations_done;
  told_.iterations_total = at.iterations_total;
  told_.kept = at.kept;
  told_.stage1_rate = at.counts.iterations > 0 ? at.counts.stage1_rate() : 0;
  told_.stage2_rate = at.counts.evaluated > 0 ? at.counts.stage2_rate() : 0;
  told_.quality = standing_now.quality.value_or(Quality{});
  told_.seconds_left = standing_now.seconds_left;
  told_.seconds = seconds();
  told_.updated_at = utc_now();
  count_rows();
  write_progress(folder_, told_);
}

// A disk that is full does not stop a run here: the store will say so.
void RunWatch::write_snapshot(const Progress& at) {
  const double begun = session_seconds();
  try {
    write_report(folder_ / "report.html", report_of(job_, at, {folder_.string(), store_, seconds()}));
  } catch (const std::exception&) {
    snapshot_due_ = session_seconds() + 60;
    return;
  }
  const double now = session_seconds();
  snapshot_due_ = now + std::max(snapshot_pause_seconds, (now - begun) / snapshot_share);
}

void RunWatch::count_rows() {
  for (; rows_counted_ < store_.size(); ++rows_counted_) {
    const Record& record = store_.all()[static_cast<std::size_t>(rows_counted_)];
    told_.model_seconds += record.seconds;
    told_.failed_attempts += record.outcome.answered() ? 0 : 1;
  }
  told_.evaluations = store_.size();
}

}  // namespace hunch::cli
