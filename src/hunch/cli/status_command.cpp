#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/run_watch.hpp"
#include "hunch/cli/terminal.hpp"
#include "hunch/cli/told.hpp"
#include "hunch/evaluation/store_error.hpp"

namespace hunch::cli {

namespace {

int print_news(const News& news, bool json) {
  const RunProgress& at = news.progress;
  if (json) {
    nlohmann::ordered_json status = {{"in_progress", true}, {"complete", false}};
    status.update(to_json(at));
    status["updated_seconds_ago"] = news.seconds_ago;
    fmt::print("{}\n", status.dump(2));
    return exit_good;
  }
  fmt::print("in progress: process {}, since {}, last heard of {} s ago\n", at.process, at.started_at,
             std::llround(news.seconds_ago));
  fmt::print("{} of {} iterations ({}), {} draws kept by each chain{}\n", at.iterations, at.iterations_total,
             at.phase, at.kept,
             at.seconds_left ? fmt::format(", about {} left", clock_text(*at.seconds_left)) : "");
  fmt::print("{} evaluations on record ({} of them failed attempts), {:.1f} s of the model's time\n",
             at.evaluations, at.failed_attempts, at.model_seconds);
  fmt::print("stage 1 let {:.1f} % through, stage 2 accepted {:.1f} % of those\n", 100 * at.stage1_rate,
             100 * at.stage2_rate);
  const Quality& quality = at.quality;
  if (quality.worst_rhat && quality.least_ess_bulk && quality.least_ess_tail)
    fmt::print("R-hat {:.3f} at worst; ESS at least {:.0f} bulk, {:.0f} tail\n", *quality.worst_rhat,
               *quality.least_ess_bulk, *quality.least_ess_tail);
  return exit_good;
}

int print_status(const Told& told, const std::string& folder, bool json) {
  const StageCounts counts = all_counts(told.result);
  const Index chains = static_cast<Index>(told.job.starts.size());
  const Index total = std::max<Index>(counts.iterations, iterations_of(told.job));
  const Index kept = told.has_draws() ? told.result.draws.length(0) : 0;
  std::int64_t failures = 0;
  for (const Record& record : told.store.all()) failures += record.outcome.answered() ? 0 : 1;
  if (json) {
    nlohmann::ordered_json status = {{"in_progress", false},
                                     {"complete", told.result.ending == Ending::complete},
                                     {"iterations", counts.iterations},
                                     {"iterations_total", total},
                                     {"draws_kept_by_every_chain", kept},
                                     {"evaluations", told.store.size()},
                                     {"failed_attempts", failures},
                                     {"seconds", nullptr},
                                     {"model_seconds", told.model_seconds},
                                     {"last_session", nullptr}};
    if (told.last_session) {
      status["seconds"] = told.last_session->seconds;
      status["last_session"] = to_json(*told.last_session);
      if (told.was_killed()) status["last_session"]["ending"] = "killed";
    }
    fmt::print("{}\n", status.dump(2));
    return exit_good;
  }
  fmt::print("{} of {} iterations, {} draws kept by each of {} chains\n", counts.iterations, total, kept,
             chains);
  fmt::print("{} evaluations on record ({} of them failed attempts), {:.1f} s of the model's time\n",
             told.store.size(), failures, told.model_seconds);
  if (told.was_killed())
    fmt::print("not in progress: its process {} was killed, and was last heard of at {}\n",
               told.last_session->process, told.last_session->updated_at);
  if (told.result.ending == Ending::interrupted) fmt::print("go on with: hunch resume {}\n", folder);
  return exit_good;
}

int status(const std::string& folder, bool json) try {
  return print_status(Told(folder), folder, json);
} catch (const StoreInUse& in_use) {
  const auto news = news_of(folder, in_use);
  if (!news) throw;
  return print_news(*news, json);
}

}  // namespace

void add_status(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("status", "How far a run is and what it has cost, also while it goes on");
  auto folder = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("directory", *folder, "Directory of the run")->required();
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&action, folder, json] { action = [=] { return status(*folder, *json); }; });
}

}  // namespace hunch::cli
