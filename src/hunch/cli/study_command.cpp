#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/peer_rows.hpp"
#include "hunch/cli/progress.hpp"
#include "hunch/draws/whole_files.hpp"
#include "hunch/study/efficiency_plot.hpp"
#include "hunch/study/efficiency_summary.hpp"

namespace hunch::cli {

namespace {

nlohmann::ordered_json to_json(const std::vector<EfficiencyRow>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const EfficiencyRow& row : rows)
    list.push_back({{"target", row.target},
                    {"method", row.method},
                    {"replicate", row.replicate},
                    {"evaluations", row.evaluations},
                    {"ess", row.ess},
                    {"ess_squares", row.ess_squares},
                    {"ess_per_evaluation", row.ess_per_evaluation},
                    {"mean_error_sd", row.mean_error_sd},
                    {"sd_ratio_min", row.sd_ratio_min},
                    {"sd_ratio_max", row.sd_ratio_max},
                    {"seconds", row.seconds},
                    {"ess_bulk", row.ess_bulk},
                    {"ess_tail", row.ess_tail},
                    {"rhat_max", row.largest_rhat},
                    {"z_rms", row.z_rms},
                    {"mean_errors_sd", row.mean_errors},
                    {"z", row.z},
                    {"sd_ratios", row.sd_ratios},
                    {"certified", row.certified.has_value()},
                    {"falsely_certified", row.falsely_certified},
                    {"failed", row.failed},
                    {"warned", row.warned},
                    {"verdict", row.verdict},
                    {"remarks", row.remarks}});
  return {{"rows", list}};
}

// Rows of the same target stand together, the targets in the order in which they first appear.
void gather_by_target(std::vector<EfficiencyRow>& rows) {
  std::vector<std::string> order;
  for (const EfficiencyRow& row : rows)
    if (std::find(order.begin(), order.end(), row.target) == order.end()) order.push_back(row.target);
  const auto place = [&](const EfficiencyRow& row) {
    return std::find(order.begin(), order.end(), row.target);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

struct EfficiencyCommand {
  EfficiencyOptions options;
  bool json = false;
  std::optional<std::string> plot;
  std::optional<std::string> peers;
  std::vector<std::string> numbers;

  int operator()() {
    for (const std::string& number : numbers) set_number(options.explore, number);
    // What cannot be read or written is refused before the work.
    if (plot) prepare_plot();
    const std::vector<EfficiencyRow> theirs = peers ? peer_rows(*peers) : std::vector<EfficiencyRow>();
    std::vector<EfficiencyRow> rows = run_ours();
    rows.insert(rows.end(), theirs.begin(), theirs.end());
    gather_by_target(rows);
    const std::vector<EfficiencySummary> summaries = summarise(rows);
    if (plot) write_plot(summaries);
    if (json)
      fmt::print("{}\n", to_json(rows).dump(2));
    else
      fmt::print("{}", to_text(summaries, options));
    return exit_good;
  }

 private:
  void prepare_plot() const {
    const std::string extension = std::filesystem::path(*plot).extension().string();
    if (extension != ".svg" && extension != ".png")
      throw InputError("--plot: got " + *plot + ", expected a name that ends in .svg or .png");
    WholeFiles(Overwrite::yes).stage(*plot);
  }

  void write_plot(const std::vector<EfficiencySummary>& summaries) const {
    WholeFiles file(Overwrite::yes);
    const bool svg = std::filesystem::path(*plot).extension() == ".svg";
    file.write(*plot, svg ? efficiency_svg(summaries) : efficiency_png(summaries));
    file.publish();
  }

  std::vector<EfficiencyRow> run_ours() {
    ProgressLine progress;
    options.seconds_now = [&] { return progress.seconds(); };
    return study_efficiency(options, [&](const EfficiencyProgress& at) {
      progress.show(at.done, at.total, "runs, " + at.target + " " + at.method);
    });
  }
};

void add_efficiency(CLI::App& study, Action& action) {
  auto* efficiency = study.add_subcommand(
      "efficiency",
      "Run every method on every target from prior starts: effective draws per evaluation, and errors");
  auto command = std::make_shared<EfficiencyCommand>();
  EfficiencyOptions& options = command->options;
  options.workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::string methods;
  for (const std::string& name : efficiency_methods()) methods += (methods.empty() ? "" : ",") + name;
  efficiency->add_option("--targets", options.targets, "Some of what `hunch problems` lists")
      ->delimiter(',')
      ->capture_default_str();
  efficiency->add_option("--methods", options.methods, "Some of " + methods + " (all)")->delimiter(',');
  efficiency->add_option("--replicates", options.replicates, "Runs of each method on each target")
      ->capture_default_str();
  efficiency->add_option("--seed", options.seed, "Seed of the first replicate's starts and chains")
      ->capture_default_str();
  efficiency->add_option("--far-start", options.far_start,
                         "Start chains this many posterior sds from the mean, in a random direction of each "
                         "replicate, instead of at draws from the prior");
  efficiency->add_option("--set", command->numbers, "NAME=VALUE: another value for a number of auto")
      ->delimiter(',');
  efficiency->add_option("--workers", options.workers, "Runs side by side; only the seconds depend on it")
      ->capture_default_str();
  efficiency->add_option("--peers", command->peers,
                         "Also judge other programs' draws, from scripts/study-efficiency");
  efficiency->add_option("--plot", command->plot, "Also draw the result, to a .svg or .png file");
  efficiency->add_flag("--json", command->json, "Print every run as JSON instead of the table");
  efficiency->callback([&action, command] { action = [command] { return (*command)(); }; });
}

}  // namespace

void add_study(CLI::App& app, Action& action) {
  auto* study = app.add_subcommand("study", "Measurements of the methods against each other");
  study->require_subcommand(1);
  add_efficiency(*study, action);
  add_breadth(*study, action);
}

}  // namespace hunch::cli
