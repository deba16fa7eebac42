#include <fmt/core.h>
#include <time.h>

#include <memory>
#include <optional>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/progress.hpp"
#include "hunch/draws/whole_files.hpp"
#include "hunch/study/breadth_summary.hpp"

namespace hunch::cli {

namespace {

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Half half_named(const std::string& name) {
  for (const Half half : {Half::tune, Half::report})
    if (name_of(half) == name) return half;
  throw InputError("--half: got '" + name + "', expected tune or report");
}

struct BreadthCommand {
  BreadthOptions options;
  std::optional<std::string> half;
  std::optional<std::string> csv;
  std::optional<std::string> markdown;
  std::vector<std::string> numbers;
  bool list = false;

  int operator()() {
    if (list) return print_posteriors();
    for (const std::string& number : numbers) set_number(options.explore, number);
    if (half) options.half = half_named(*half);
    // What cannot be written is refused before the work.
    for (const auto& path : {csv, markdown})
      if (path) WholeFiles(Overwrite::yes).stage(*path);
    const std::vector<BreadthRow> rows = run_all();
    if (csv) write(*csv, to_csv(rows));
    if (markdown) write(*markdown, to_markdown(rows));
    fmt::print("{}", to_text(rows));
    return exit_good;
  }

 private:
  static int print_posteriors() {
    for (const BreadthPosterior& one : breadth_posteriors())
      fmt::print("{:<48}{:>3}  {:<12}{:<6}{}\n", one.name, one.parameters.dimension(), one.group,
                 name_of(one.prior), name_of(one.half));
    return exit_good;
  }

  static void write(const std::string& path, const std::string& text) {
    WholeFiles file(Overwrite::yes);
    file.write(path, text);
    file.publish();
  }

  std::vector<BreadthRow> run_all() {
    ProgressLine progress;
    options.cpu_seconds = thread_cpu_seconds;
    return study_breadth(options, [&](const BreadthProgress& at) {
      progress.show(
          at.done, at.total,
          fmt::format("runs, {} {}: {}", at.row.posterior, at.row.exactness, name_of(at.row.verdict)));
    });
  }
};

}  // namespace

void add_breadth(CLI::App& study, Action& action) {
  auto* breadth = study.add_subcommand(
      "breadth", "Run the default method on many posteriors with known moments, and judge every run");
  auto command = std::make_shared<BreadthCommand>();
  BreadthOptions& options = command->options;
  breadth->add_option("--posteriors", options.posteriors, "Some of what --list lists (all)")->delimiter(',');
  breadth->add_option("--half", command->half, "Only the posteriors of one half: tune or report");
  breadth->add_option("--exactness", options.exactness, "Of draws: exact, audited or both")
      ->delimiter(',')
      ->capture_default_str();
  breadth->add_option("--replicates", options.replicates, "Runs of each posterior")->capture_default_str();
  breadth->add_option("--seed", options.seed, "Seed of the first replicate")->capture_default_str();
  breadth->add_option("--jobs", options.jobs, "Runs side by side")->capture_default_str();
  breadth->add_option("--draws", options.draws, "Kept by each of four chains")->capture_default_str();
  breadth->add_option("--set", command->numbers, "NAME=VALUE: another value for a number of the method")
      ->delimiter(',');
  breadth->add_option("--max-time", options.max_seconds, "Seconds after which a run counts as refused")
      ->capture_default_str();
  breadth->add_option("--csv", command->csv, "Also write every run to this file");
  breadth->add_option("--markdown", command->markdown, "Also write the tables to this file, as Markdown");
  breadth->add_flag("--list", command->list,
                    "Print the posteriors, with dimension, group, prior and half, and run nothing");
  breadth->callback([&action, command] { action = [command] { return (*command)(); }; });
}

}  // namespace hunch::cli
