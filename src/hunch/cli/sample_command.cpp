#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/names.hpp"
#include "hunch/cli/progress.hpp"
#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/summary.hpp"
#include "hunch/problems/problem.hpp"
#include "hunch/run/run.hpp"

namespace hunch::cli {

namespace {

struct SampleCommand {
  std::string problem;
  RunSettings settings;
  int chains = 4;
  int workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
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

std::string cell(const std::optional<double>& value, int digits) {
  if (!value) return fmt::format("{:>10}", "NA");
  return fmt::format("{:>10.{}f}", *value, digits);
}

void print_summary(const std::vector<ParameterSummary>& summary) {
  fmt::print("{:<12}", "variable");
  for (const char* column :
       {"mean", "median", "sd", "mad", "q5", "q95", "rhat", "ess_bulk", "ess_tail", "mcse_mean"})
    fmt::print("{:>10}", column);
  fmt::print("\n");
  for (const ParameterSummary& p : summary)
    fmt::print("{:<12}{}{}{}{}{}{}{}{}{}{}\n", p.name, cell(p.mean, 4), cell(p.median, 4), cell(p.sd, 4),
               cell(p.mad, 4), cell(p.q5, 4), cell(p.q95, 4), cell(p.rhat, 3), cell(p.ess_bulk, 0),
               cell(p.ess_tail, 0), cell(p.mcse_mean, 5));
}

void print_bill(const RunResult& result, const StageCounts& all, double seconds) {
  fmt::print(
      "\n{} iterations, {} likelihood evaluations: {} saved against one evaluation an iteration ({:.0f} %)\n",
      all.iterations, result.evaluations, all.iterations - result.evaluations,
      100.0 * static_cast<double>(all.iterations - result.evaluations) / static_cast<double>(all.iterations));
  fmt::print("stage 1 let {:.1f} % through, stage 2 accepted {:.1f} % of those; {:.1f} s\n",
             100 * all.stage1_rate(), 100 * all.stage2_rate(), seconds);
}

// R-hat at most 1.01 and 100 effective draws a chain, for every parameter: the usual thresholds.
bool converged(const std::vector<ParameterSummary>& summary, Index chains) {
  const double enough = 100.0 * static_cast<double>(chains);
  return std::all_of(summary.begin(), summary.end(), [&](const ParameterSummary& p) {
    return p.rhat.value_or(infinity) <= 1.01 && p.ess_bulk.value_or(0) >= enough &&
           p.ess_tail.value_or(0) >= enough;
  });
}

nlohmann::ordered_json number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json to_json(const std::vector<ParameterSummary>& summary, const RunResult& result,
                               const StageCounts& all, double seconds) {
  nlohmann::ordered_json parameters;
  for (const ParameterSummary& p : summary)
    parameters[p.name] = {{"mean", number(p.mean)},
                          {"sd", number(p.sd)},
                          {"q5", number(p.q5)},
                          {"median", number(p.median)},
                          {"q95", number(p.q95)},
                          {"rhat", number(p.rhat)},
                          {"ess_bulk", number(p.ess_bulk)},
                          {"ess_tail", number(p.ess_tail)},
                          {"mcse_mean", number(p.mcse_mean)}};
  return {{"parameters", parameters},
          {"run",
           {{"evaluations", result.evaluations},
            {"iterations", all.iterations},
            {"draws", result.draws.chains() * result.draws.length(0)},
            {"seconds", seconds}}}};
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
  StageCounts all;
  for (const ChainResult& chain : result->chains) (all += chain.warmup) += chain.kept;
  const auto summary = summarise(result->draws);
  if (json) {
    fmt::print("{}\n", to_json(summary, *result, all, seconds).dump(2));
  } else {
    print_summary(summary);
    print_bill(*result, all, seconds);
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
        fmt::print("{:<4}{:<24}{}\n", made.name, made.title, parameters);
      }
      return exit_good;
    };
  });
}

}  // namespace hunch::cli
