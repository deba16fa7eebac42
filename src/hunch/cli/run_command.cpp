#include <fmt/core.h>

#include <csignal>
#include <memory>
#include <thread>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/progress.hpp"
#include "hunch/cli/signals.hpp"
#include "hunch/cli/summary_text.hpp"
#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/convergence.hpp"
#include "hunch/draws/csv_writer.hpp"
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
  bool dry_run = false;
  bool quiet = false;
  bool json = false;
};

// Likelihoods of microseconds are cheaper to compute again than to sync: a power cut may cost them, nothing
// else.
Durability durability_of(const Config& config) {
  return std::holds_alternative<ProblemConfig>(config.model.door) ? Durability::relaxed : Durability::full;
}

// R-hat and effective sample size so far, recomputed every few seconds: they cost more than the rest of the
// line.
class LiveDiagnostics {
 public:
  std::string words(const Progress& at, double now) {
    if (at.kept >= 50 && now - computed_at_ > 2) {
      computed_at_ = now;
      const Draws draws = at.draws();
      double worst_rhat = 0, least_ess = infinity;
      for (Index p = 0; p < draws.parameters(); ++p) {
        const Matrix values = draws.parameter(p);
        worst_rhat = std::max(worst_rhat, rhat(values).value_or(infinity));
        least_ess = std::min(least_ess, ess_bulk(values).value_or(0));
      }
      words_ = fmt::format(", R-hat {:.3f}, ESS {:.0f}", worst_rhat, least_ess);
    }
    return words_;
  }

 private:
  double computed_at_ = -1e9;
  std::string words_;
};

RunResult sample_with_progress(const Job& job, Model& model, Store& store, const RunOptions& options,
                               double& seconds) {
  ProgressLine progress;
  LiveDiagnostics live;
  Patience patience;
  SessionOptions session{.workers = options.workers,
                         .interrupted = [] { return caught_signal() != 0; },
                         .stopping = [&](int under_way) { return patience.with(under_way); }};
  if (!options.quiet)
    session.on_round = [&](const Progress& at) {
      const std::int64_t saved = at.counts.iterations - at.evaluations;
      progress.show(
          at.iterations_done, at.iterations_total,
          fmt::format(
              "iterations, {}; accepted {:.0f} % then {:.0f} %; {} evaluations, {} saved, {:.3g}/s{};",
              at.kept > 0 ? "keeping" : "burn-in", 100 * at.counts.stage1_rate(),
              100 * at.counts.stage2_rate(), at.evaluations, saved,
              static_cast<double>(at.evaluations) / std::max(1e-3, progress.seconds()),
              live.words(at, progress.seconds())));
    };
  RunResult result = run_session(job, model, store, session);
  seconds = progress.seconds();
  return result;
}

int verdict(const RunResult& result, const std::vector<ParameterSummary>& summary,
            const std::string& folder) {
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
      return exit_good;
    case Ending::complete:
      break;
  }
  if (converged(summary, result.draws.chains())) return exit_good;
  fmt::print(stderr,
             "not converged: some R-hat is above 1.01 or some effective sample size below 100 a chain; run "
             "again with more "
             "draws and --reuse {}: what was paid for is free\n",
             folder);
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
  double seconds = 0;
  const RunResult result = sample_with_progress(job, *model, store, options, seconds);

  const auto summary = result.draws.chains() > 0 && result.draws.length(0) > 0
                           ? summarise(result.draws)
                           : std::vector<ParameterSummary>{};
  if (options.json) {
    fmt::print("{}\n", to_json(summary, result, seconds).dump(2));
  } else if (!summary.empty()) {
    print_summary(summary);
    print_bill(result);
  }
  // Last, so that a full disk does not keep the result from being shown.
  if (!summary.empty()) {
    write_csv(to_export(job, result, store, seconds), directory.folder() / "draws.csv", Overwrite::yes);
    if (!options.json)
      fmt::print("{}/draws.csv has the draws; `hunch export` writes other formats\n",
                 directory.folder().string());
  }
  return verdict(result, summary, directory.folder().string());
}

int sample_into(const RunDirectory& directory, const RunOptions& options) try {
  return sample_to_the_end(directory, options);
} catch (const EvaluationsAbandoned& abandoned) {
  fmt::print(stderr, "{}; nothing that was answered is lost. Go on with: hunch resume {}\n", abandoned.what(),
             directory.folder().string());
  return 128 + caught_signal();
}

int run_config(const RunOptions& options) {
  const std::string text = text_of(options.config, "`hunch init` writes a config to start from");
  const Config config = parse_config(text, options.config);
  const auto base = std::filesystem::absolute(options.config).parent_path();
  if (options.dry_run) {
    const Job job = make_job(config, base);
    fmt::print("{} is fine: {} parameters, {} chains of {} + {} iterations\n", options.config,
               job.parameters.dimension(), job.starts.size(), job.settings.warmup, job.settings.draws);
    return exit_good;
  }
  make_job(config, base);  // what is wrong with it is said before a directory is made
  const std::string folder = options.folder.empty()
                                 ? std::filesystem::path(options.config).stem().string() + ".run"
                                 : options.folder;
  return sample_into(RunDirectory::create(folder, text, config, base), options);
}

void add_common(CLI::App& command, RunOptions& options) {
  command.add_option("--workers", options.workers, "Evaluations at a time; the draws do not depend on it")
      ->check(CLI::PositiveNumber);
  command.add_option("--max-evals", options.max_evaluations, "Stop when so many evaluations were paid for")
      ->check(CLI::PositiveNumber);
  command.add_option("--max-time", options.max_seconds, "Stop after so many seconds")
      ->check(CLI::PositiveNumber);
  command.add_flag("--quiet", options.quiet, "No progress");
  command.add_flag("--json", options.json, "Print JSON instead of the table");
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto* run = app.add_subcommand("run", "Sample the posterior that a config file describes");
  auto begun = std::make_shared<RunOptions>();
  run->add_option("config", begun->config, "TOML file; `hunch init` writes one to start from")->required();
  run->add_option("--out", begun->folder, "Directory of the run (the config's name with .run)");
  run->add_option("--reuse", begun->reuse,
                  "Another run of the same likelihood: its evaluations cost nothing again");
  run->add_flag("--dry-run", begun->dry_run, "Only check the config");
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
