#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/names.hpp"
#include "hunch/cli/progress.hpp"
#include "hunch/draws/whole_files.hpp"
#include "hunch/study/paper_figure.hpp"
#include "hunch/study/paper_table.hpp"

namespace hunch::cli {

namespace {

nlohmann::ordered_json to_json(const std::vector<TableRow>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const TableRow& row : rows)
    list.push_back({{"target", row.target},
                    {"method", row.method},
                    {"ar", row.ar.mean},
                    {"ess", row.ess.mean},
                    {"esjd", row.esjd.mean},
                    {"esjd_sum", row.esjd_sum.mean},
                    {"eval_percent", row.eval_percent.mean},
                    {"sd", row.sd.mean},
                    {"sd_sum", row.sd_sum.mean},
                    {"warmup_evaluations", row.warmup_evaluations.mean},
                    {"mcse",
                     {{"ar", row.ar.mcse},
                      {"ess", row.ess.mcse},
                      {"esjd", row.esjd.mcse},
                      {"eval_percent", row.eval_percent.mcse},
                      {"sd", row.sd.mcse}}}});
  return {{"rows", list}};
}

struct TableCommand {
  TableOptions options;
  bool json = false;
  bool full = false;
  std::optional<int> t3_points;
  std::optional<std::string> markdown;

  int operator()() {
    options.t3_points = t3_points.value_or(full ? 1000 : 200);
    // A path that cannot be written is refused before the work.
    if (markdown) WholeFiles(Overwrite::yes).stage(*markdown);
    std::vector<TableRow> rows;
    {
      ProgressLine progress;
      rows = paper_table(options, [&](const TableProgress& at) {
        progress.show(at.done, at.total, "simulations, " + at.target);
      });
    }
    const std::string table = to_markdown(rows, options);
    if (markdown) {
      WholeFiles file(Overwrite::yes);
      file.write(*markdown, table);
      file.publish();
    }
    if (json)
      fmt::print("{}\n", to_json(rows).dump(2));
    else
      fmt::print("{}", table);
    return exit_good;
  }
};

int draw_figure(const std::string& base, std::uint64_t seed) {
  const auto stages = figure_stages(seed);
  draw_figure_svg(stages, base + ".svg");
  draw_figure_png(stages, base + ".png");
  fmt::print("{0}.svg\n{0}.png\n", base);
  return exit_good;
}

void add_table(CLI::App& paper, Action& action) {
  auto* table =
      paper.add_subcommand("table", "Run the comparison of the paper's Table 1 and print it beside ours");
  auto command = std::make_shared<TableCommand>();
  command->options.workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  table
      ->add_option("--sims", command->options.simulations, "Simulations of each target, each with fresh data")
      ->capture_default_str();
  table->add_option("--targets", command->options.targets, "Some of T1,T2,T3,T4,T5")->delimiter(',');
  table->add_option("--workers", command->options.workers, "Simulations run side by side")
      ->capture_default_str();
  table->add_option("--seed", command->options.seed, "Seed of data and chains")->capture_default_str();
  table->add_option("--t3-points", command->t3_points, "Data points of T3 (200; 1000 with --full)");
  table->add_flag("--full", command->full, "T3 with 1000 points, as in the paper: hours");
  table->add_flag("--json", command->json, "Print JSON instead of the table");
  table->add_option("--markdown", command->markdown, "Also write the table to this file");
  add_choice(*table, "--screen", command->options.gp.screen, screen_names, "Stage 1 of kept draws");
  add_choice(*table, "--learning", command->options.gp.learning, learning_names,
             "Whether kept draws teach the GP");
  add_choice(*table, "--covariance", command->options.gp.covariance, covariance_names,
             "Covariance of the GP");
  table->callback([&action, command] { action = [command] { return (*command)(); }; });
}

void add_figure(CLI::App& paper, Action& action) {
  auto* figure = paper.add_subcommand("figure", "Draw the paper's Figure 1 as SVG and PNG");
  auto base = std::make_shared<std::string>("paper-figure");
  auto seed = std::make_shared<std::uint64_t>(1);
  figure->add_option("--out", *base, "Path without extension")->capture_default_str();
  figure->add_option("--seed", *seed, "Seed of the chain")->capture_default_str();
  figure->callback([&action, base, seed] { action = [base, seed] { return draw_figure(*base, *seed); }; });
}

}  // namespace

void add_paper(CLI::App& app, Action& action) {
  auto* paper = app.add_subcommand("paper", "The paper's table and figure, run again");
  paper->require_subcommand(1);
  add_table(*paper, action);
  add_figure(*paper, action);
}

}  // namespace hunch::cli
