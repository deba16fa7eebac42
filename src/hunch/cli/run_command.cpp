#include <fmt/core.h>

#include <csignal>
#include <memory>
#include <thread>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/overrides.hpp"
#include "hunch/cli/report_source.hpp"
#include "hunch/cli/run_watch.hpp"
#include "hunch/cli/signals.hpp"
#include "hunch/cli/summary_text.hpp"
#include "hunch/config/choices.hpp"
#include "hunch/config/duration.hpp"
#include "hunch/draws/csv_writer.hpp"
#include "hunch/draws/whole_files.hpp"
#include "hunch/run/draws_status.hpp"
#include "hunch/run/run_directory.hpp"
#include "hunch/run/run_export.hpp"
#include "hunch/run/session.hpp"
#include "hunch/run/text_file.hpp"

namespace hunch::cli {

namespace {

struct RunOptions {
  std::string config;  // of `run`
  std::string folder;
  int workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::optional<std::int64_t> max_evaluations;
  std::optional<double> max_seconds;
  std::optional<std::string> reuse;
  Overrides overrides;  // of `run`
  bool force = false;
  bool resume = false;
  bool dry_run = false;
  bool quiet = false;
  bool json = false;
};

// Likelihoods of microseconds are cheaper to compute again than to sync: a power cut may cost them, nothing
// else.
Durability durability_of(const Config& config) {
  return std::holds_alternative<ProblemConfig>(config.model.door) ? Durability::relaxed : Durability::full;
}

Shown shown_to_user(const RunOptions& options) {
  if (options.quiet) return Shown::nothing;
  return people_watch() ? Shown::table : Shown::lines;
}

std::vector<ParameterSummary> summary_of(const RunResult& result) {
  const bool any = result.draws.chains() > 0 && result.draws.length(0) > 0;
  return any ? summarise(result.draws) : std::vector<ParameterSummary>{};
}

int verdict(const RunResult& result, const std::vector<ParameterSummary>& summary,
            const std::string& folder) {
  const DrawsStatus status =
      draws_status(result.certificate, result.doubts, result.ending, summary, result.draws.chains());
  if (status == DrawsStatus::refused) {
    fmt::print(stderr, "no certificate, so no draws: {}\n", result.certificate->reason);
    return exit_not_converged;
  }
  const std::string resume = "hunch resume " + folder;
  switch (result.ending) {
    case Ending::interrupted:
      fmt::print(stderr, "stopped; nothing that was paid for is lost. Go on with: {}\n", resume);
      return 128 + caught_signal();
    case Ending::evaluations_spent:
    case Ending::time_spent:
      fmt::print(
          stderr,
          "the budget is spent. Raise it ({}/config.toml or --max-evals, --max-time) and go on with: {}\n",
          folder, resume);
      return exit_budget_spent;
    case Ending::goal_reached:
    case Ending::complete:
      break;
  }
  if (status == DrawsStatus::doubtful) {
    for (const std::string& doubt : result.doubts) fmt::print(stderr, "not to be trusted: {}\n", doubt);
    return exit_not_converged;
  }
  if (status == DrawsStatus::usable) return exit_good;
  fmt::print(
      stderr,
      "not converged: some R-hat is above 1.01 or some effective sample size below 100 a chain. Keep more "
      "draws; what was paid for is free: {}\n",
      longer_run(result.draws.length(0), folder));
  return exit_not_converged;
}

int sample_to_the_end(const RunDirectory& directory, const RunOptions& options) {
  Job job = make_job(directory.config(), directory.base());
  if (options.max_evaluations) job.settings.budget.evaluations = options.max_evaluations;
  if (options.max_seconds) job.settings.budget.seconds = options.max_seconds;
  const auto model = open_model(job, directory.base(), options.workers);
  Store store(directory.store(), job.identity, durability_of(job.config));
  if (options.reuse) {
    const Index taken = store.adopt(std::filesystem::path(*options.reuse) / "evaluations.sqlite");
    fmt::print(stderr, "{} evaluations taken over from {}\n", taken, *options.reuse);
  }
  listen_for_signals();
  remove_abandoned(directory.folder());
  Patience patience;
  RunWatch watch(job, store, directory.folder(), shown_to_user(options));
  const RunResult result = run_session(job, *model, store,
                                       {.workers = options.workers,
                                        .on_round = [&](const Progress& at) { watch.see(at); },
                                        .interrupted = [] { return caught_signal() != 0; },
                                        .stopping = [&](int under_way) { return patience.with(under_way); }});
  const auto summary = summary_of(result);
  watch.end(result, summary);
  if (options.json) {
    fmt::print("{}\n", to_json(summary, result, watch.times()).dump(2));
  } else if (!summary.empty() || result.certificate || !result.doubts.empty()) {
    if (!summary.empty()) print_summary(summary);
    print_bill(result);  // a refusal has no draws, but a reason
  }
  // Last, so that a full disk does not keep the result from being shown.
  if (!summary.empty()) {
    write_csv(to_export(job, result, store, *watch.times().seconds), directory.folder() / "draws.csv",
              Overwrite::yes);
    if (!options.json)
      fmt::print("{}/draws.csv has the draws; `hunch export` writes other formats\n",
                 directory.folder().string());
  }
  write_report(directory.folder() / "report.html",
               report_of(job, result, {directory.folder().string(), store, watch.times().seconds}));
  if (!options.json)
    fmt::print("{}/report.html shows it all; open it in a browser\n", directory.folder().string());
  return verdict(result, summary, directory.folder().string());
}

int sample_into(const RunDirectory& directory, const RunOptions& options) try {
  return sample_to_the_end(directory, options);
} catch (const EvaluationsAbandoned& abandoned) {
  fmt::print(stderr, "{}; nothing that was answered is lost. Go on with: hunch resume {}\n", abandoned.what(),
             directory.folder().string());
  return 128 + caught_signal();
}

int say_what_would_run(const RunOptions& options, const Job& job) {
  if (options.json) {
    const nlohmann::ordered_json plan = {{"config", options.config},
                                         {"parameters", job.parameters.dimension()},
                                         {"method", name_of(job.config.sampler.method)},
                                         {"chains", job.starts.size()},
                                         {"warmup", job.settings.warmup},
                                         {"draws", job.settings.draws},
                                         {"seed", job.settings.seed}};
    fmt::print("{}\n", plan.dump(2));
  } else {
    fmt::print("{} is fine: {} parameters, {} chains of {} + {} iterations\n", options.config,
               job.parameters.dimension(), job.starts.size(), job.settings.warmup, job.settings.draws);
  }
  return exit_good;
}

// What --force moves aside may be what --reuse takes over.
void move_aside(RunOptions& options) {
  std::error_code ignored;
  const bool reused = options.reuse && std::filesystem::equivalent(*options.reuse, options.folder, ignored);
  const std::string aside = RunDirectory::move_aside(options.folder).string();
  if (reused) options.reuse = aside;
  fmt::print(stderr, "{} is now {}\n", options.folder, aside);
}

int run_config(RunOptions options) {
  const std::string text = text_of(options.config, "`hunch init` writes a config to start from");
  const Request request{text, apply(options.overrides, parse_config(text, options.config)),
                        std::filesystem::absolute(options.config).parent_path(), words_of(options.overrides)};
  const Job job = make_job(request.config, request.base);  // what is wrong is said before a directory is made
  if (options.dry_run) return say_what_would_run(options, job);
  if (options.folder.empty()) options.folder = std::filesystem::path(options.config).stem().string() + ".run";
  if (RunDirectory::holds_run(options.folder)) {
    if (options.resume) return sample_into(RunDirectory::open(options.folder, request), options);
    if (options.force) move_aside(options);
  }
  return sample_into(RunDirectory::create(options.folder, request), options);
}

// "90" or "1h30m".
double seconds_from(const std::string& text) {
  double seconds = 0;
  const auto duration = duration_from(text);
  if (duration) return *duration;
  if (!CLI::detail::lexical_cast(text, seconds) || !(seconds > 0) || seconds > longest_duration_seconds)
    throw CLI::ValidationError("--max-time",
                               "got '" + text + "', expected seconds or a time such as 90s, 10m, 1h30m");
  return seconds;
}

void add_common(CLI::App& command, RunOptions& options) {
  command.add_option("--workers", options.workers, "Evaluations at a time; the draws do not depend on it")
      ->check(CLI::PositiveNumber);
  command.add_option("--max-evals", options.max_evaluations, "Stop when so many evaluations were paid for")
      ->check(CLI::PositiveNumber);
  command.add_option_function<std::string>(
      "--max-time", [&options](const std::string& text) { options.max_seconds = seconds_from(text); },
      "Stop after so long: seconds, or 90s, 10m, 1h30m");
  command.add_flag("--quiet", options.quiet, "No progress");
  command.add_flag("--json", options.json, "Print JSON instead of the table");
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto* run = app.add_subcommand("run", "Sample the posterior that a config file describes");
  auto begun = std::make_shared<RunOptions>();
  run->add_option("config", begun->config, "TOML file; `hunch init` writes one to start from")->required();
  run->add_option("--out,--output", begun->folder, "Directory of the run (the config's name with .run)");
  run->add_option("--reuse", begun->reuse,
                  "Another run of the same likelihood: its evaluations cost nothing again");
  run->add_flag("--dry-run", begun->dry_run, "Only check the config");
  auto* again = run->add_flag("--resume", begun->resume, "Go on with the run if there is one already");
  run->add_flag("--force", begun->force, "Move a run that is there already aside, to its name with .old-1")
      ->excludes(again);
  add_overrides(*run, begun->overrides);
  add_common(*run, *begun);
  run->callback([&action, begun] { action = [begun] { return run_config(*begun); }; });

  auto* resume = app.add_subcommand("resume", "Go on with a run that was stopped");
  auto resumed = std::make_shared<RunOptions>();
  resume->add_option("directory", resumed->folder, "Directory of the run")->required();
  add_common(*resume, *resumed);
  resume->callback([&action, resumed] {
    action = [resumed] { return sample_into(RunDirectory::open(resumed->folder), *resumed); };
  });
}

}  // namespace hunch::cli
