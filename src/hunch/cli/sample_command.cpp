#include <fmt/core.h>

#include <memory>
#include <thread>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/names.hpp"
#include "hunch/cli/progress.hpp"
#include "hunch/cli/report_source.hpp"
#include "hunch/cli/summary_text.hpp"
#include "hunch/problems/problem.hpp"
#include "hunch/run/run.hpp"

namespace hunch::cli {

namespace {

struct SampleCommand {
  std::string problem;
  RunSettings settings{.gradients = true};
  int chains = 4;
  int workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::string report;  // file to write; none if empty
  bool json = false;

  int operator()() const;
};

// Chains start around the values that made the data, dispersed; finding the bulk from afar is another matter.
std::vector<Vector> starts_around(const Vector& centre, int chains, std::uint64_t seed) {
  std::vector<Vector> starts;
  for (int c = 0; c < chains; ++c) {
    Rng rng({seed, static_cast<std::uint32_t>(c), 0, Purpose::start});
    starts.push_back(centre + 0.3 * rng.normal(centre.size()));
  }
  return starts;
}

template <typename Value>
std::string name_in(const std::map<std::string, Value>& names, Value value) {
  for (const auto& [name, each] : names)
    if (each == value) return name;
  return {};
}

ReportData page_of(const SampleCommand& command, const Problem& made, const RunResult& result,
                   double seconds) {
  const RunSettings& settings = command.settings;
  const std::string method = name_in(method_names, settings.method);
  return report_of(
      {made.title, "the built-in problem " + made.name, method, made.parameters, settings,
       fmt::format("hunch sample {} --method {} --screen {} --learning {} --covariance {} --chains {} "
                   "--warmup {} --draws {} --seed {}",
                   command.problem, method, name_in(screen_names, settings.screen),
                   name_in(learning_names, settings.learning), name_in(covariance_names, settings.covariance),
                   command.chains, settings.warmup, settings.draws, settings.seed),
       seconds},
      result);
}

int SampleCommand::operator()() const {
  if (chains < 1) throw InputError("chains: got " + std::to_string(chains) + ", expected 1 or more");
  if (workers < 1) throw InputError("workers: got " + std::to_string(workers) + ", expected 1 or more");
  const Problem made = make_problem(problem, {.seed = settings.seed});
  FunctionModel model(made.evaluate, {.gradient = true});
  Evaluator evaluator(model, workers);
  const Index d = made.parameters.dimension();
  const Proposal first = uses_gradient(settings.method) ? Proposal(Langevin{0.01, Vector::Ones(d)})
                                                        : Proposal(RandomWalk{Vector::Constant(d, 0.1)});
  std::optional<RunResult> result;
  double seconds = 0;
  {
    ProgressLine progress;
    result.emplace(run(made.parameters, evaluator,
                       starts_around(made.parameters.position(made.truth), chains, settings.seed), first,
                       settings, [&](const Progress& at) {
                         progress.show(at.iterations_done, at.iterations_total,
                                       fmt::format("iterations, {} evaluations,", at.evaluations));
                       }));
    seconds = progress.seconds();
  }
  const auto summary = summarise(result->draws);
  if (json) {
    fmt::print("{}\n", to_json(summary, *result, {seconds, std::nullopt}).dump(2));
  } else {
    print_summary(summary);
    print_bill(*result);
  }
  if (!report.empty()) {
    write_report(report, page_of(*this, made, *result, seconds));
    if (!json) fmt::print("{} shows it all; open it in a browser\n", report);
  }
  if (!result->doubts.empty()) {
    for (const std::string& doubt : result->doubts) fmt::print(stderr, "not to be trusted: {}\n", doubt);
    return exit_not_converged;
  }
  if (converged(summary, result->draws.chains())) return exit_good;
  fmt::print(stderr,
             "not converged: some R-hat is above 1.01 or some effective sample size below 100 a chain; keep "
             "more draws "
             "(--draws)\n");
  return exit_not_converged;
}

}  // namespace

void add_sample(CLI::App& app, Action& action) {
  auto* sample =
      app.add_subcommand("sample", "Sample the posterior of a built-in problem and print its summary");
  auto command = std::make_shared<SampleCommand>();
  sample->add_option("problem", command->problem, "A problem that `hunch problems` lists")->required();
  add_choice(*sample, "--method", command->settings.method, method_names, "Sampler (gp-mh)");
  add_choice(*sample, "--screen", command->settings.screen, screen_names, "Stage 1 of kept draws");
  add_choice(*sample, "--learning", command->settings.learning, learning_names,
             "Whether kept draws teach the GP");
  add_choice(*sample, "--covariance", command->settings.covariance, covariance_names,
             "Covariance of the GP (se)");
  sample->add_option("--chains", command->chains, "Chains, which share one surrogate")->capture_default_str();
  sample->add_option("--warmup", command->settings.warmup, "Iterations of each chain not kept")
      ->capture_default_str();
  sample->add_option("--draws", command->settings.draws, "Iterations of each chain kept")
      ->capture_default_str();
  sample->add_option("--seed", command->settings.seed, "Seed of data and chains")->capture_default_str();
  sample->add_option("--workers", command->workers, "Evaluations at a time; the draws do not depend on it");
  sample->add_option("--report", command->report, "Write the page about it to this file");
  sample->add_flag("--json", command->json, "Print JSON instead of the table");
  sample->callback([&action, command] { action = [command] { return (*command)(); }; });
}

void add_problems(CLI::App& app, Action& action) {
  auto* problems = app.add_subcommand("problems", "List the built-in problems");
  problems->callback([&action] {
    action = [] {
      for (const std::string& name : problem_names()) {
        const Problem made = make_problem(name);
        std::string parameters;
        for (const Parameter& p : made.parameters.list())
          parameters += (parameters.empty() ? "" : ", ") + p.name;
        fmt::print("{:<15}{:<21}{}\n", made.name, made.title, parameters);
      }
      return exit_good;
    };
  });
}

}  // namespace hunch::cli
