#include "hunch/study/efficiency.hpp"

#include <cmath>
#include <mutex>
#include <optional>

#include "hunch/core/numeric.hpp"
#include "hunch/evaluation/parallel.hpp"
#include "hunch/problems/prior_start.hpp"
#include "hunch/study/study_method.hpp"

namespace hunch {
namespace {

constexpr std::uint64_t most_attempts = 100;  // at a start of positive density

struct Starts {
  std::vector<Vector> positions;
  std::int64_t wasted;  // evaluations at starts that turned out to be impossible
};

// In positions, by the slope of the transform at the mean: sds there would leave the support.
Vector start_far_off(const Problem& problem, double sds, std::uint64_t seed, std::uint32_t chain,
                     std::uint64_t attempt) {
  const ReferenceMoments reference = reference_moments(problem.name).value();
  const Parameters& parameters = problem.parameters;
  const Vector small = 1e-4 * reference.sd;
  const Vector sd =
      (parameters.position(reference.mean + small) - parameters.position(reference.mean - small)) / 2e-4;
  Vector direction = Rng({seed, 0, attempt, Purpose::start}).normal(sd.size());
  direction *= sds / direction.norm();
  const Vector apart = 0.5 * Rng({seed, chain + 1, attempt, Purpose::start}).normal(sd.size());
  return parameters.position(reference.mean) + sd.cwiseProduct(direction + apart);
}

Starts draw_starts(const Problem& problem, std::uint64_t seed, const EfficiencyOptions& options) {
  const int chains = options.chains;
  Starts starts{{}, 0};
  for (int chain = 0; chain < chains; ++chain) {
    for (std::uint64_t attempt = 0;; ++attempt) {
      if (attempt == most_attempts) throw InputError(problem.name + ": no start of positive density");
      const auto id = static_cast<std::uint32_t>(chain);
      Vector position = options.far_start ? start_far_off(problem, *options.far_start, seed, id, attempt)
                                          : efficiency_start(problem, seed, id, attempt);
      const Vector theta = problem.parameters.theta(position);
      if (std::isfinite(problem.evaluate(theta, Want::value).log_likelihood)) {
        starts.positions.push_back(std::move(position));  // evaluated again, and counted, by the run
        break;
      }
      ++starts.wasted;
    }
  }
  return starts;
}

// A run that ended in an error has no draws to judge.
EfficiencyRow without_draws(EfficiencyRow row, const std::string& error) {
  row.mean_error_sd = row.z_rms = row.largest_rhat = infinity;
  row.failed = row.warned = true;
  row.verdict = "failed, and said so: " + error;
  return row;
}

struct Task {
  const Problem* problem;
  const StudyMethod* method;
  int replicate;
};

EfficiencyRow run_and_judge(const Task& task, const EfficiencyOptions& options) {
  const Problem& problem = *task.problem;
  EfficiencyRow row;
  row.target = problem.name;
  row.method = task.method->name;
  row.replicate = task.replicate;
  const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(row.replicate);
  const Starts starts = draw_starts(problem, seed, options);
  RunSettings settings = task.method->settings;
  settings.warmup = options.warmup;
  settings.draws = options.draws * task.method->draws_factor;
  settings.seed = seed;
  settings.explore = options.explore;
  FunctionModel model(problem.evaluate, {.gradient = true});
  Evaluator evaluator(model, 1);
  const auto now = [&] { return options.seconds_now ? options.seconds_now() : 0; };
  const double begun = now();
  std::optional<RunResult> result;
  std::string error;
  try {
    result.emplace(run(problem.parameters, evaluator, starts.positions,
                       first_proposal(problem.parameters, settings.method), settings));
  } catch (const std::runtime_error& caught) {
    error = caught.what();
  }
  row.seconds = now() - begun;
  row.evaluations = starts.wasted + (result ? result->evaluations : evaluator.evaluations());
  if (!result) return without_draws(std::move(row), error);
  row.remarks = result->remarks;
  if (result->draws.chains() == 0)
    return without_draws(std::move(row), result->certificate ? result->certificate->reason : "no draws");
  if (result->certificate) row.certified = settings.tolerance;
  return judged(std::move(row), result->draws, reference_moments(problem.name).value());
}

void validate(const EfficiencyOptions& options) {
  const auto refuse = [](const std::string& what, Index given) {
    throw InputError(what + ": got " + std::to_string(given) + ", expected 1 or more");
  };
  if (options.replicates < 1) refuse("replicates", options.replicates);
  if (options.workers < 1) refuse("workers", options.workers);
  if (options.chains < 1) refuse("chains", options.chains);
  if (options.far_start && !(*options.far_start > 0)) throw InputError("far start: expected more than 0");
  if (options.targets.empty()) throw InputError("targets: none given");
}

std::vector<Problem> problems_of(const EfficiencyOptions& options) {
  std::vector<Problem> problems;
  for (const std::string& target : options.targets) {
    problems.push_back(make_problem(target));
    if (!reference_moments(problems.back().name))
      throw InputError("targets: the posterior of " + problems.back().name +
                       " is not known, and none can be judged by it");
  }
  return problems;
}

std::vector<Task> tasks_of(const std::vector<Problem>& problems, const EfficiencyOptions& options) {
  std::vector<Task> tasks;
  const auto add = [&](const Problem& problem, const StudyMethod& method) {
    for (int replicate = 0; replicate < options.replicates; ++replicate)
      tasks.push_back({&problem, &method, replicate});
  };
  for (const Problem& problem : problems) {
    for (const std::string& name : options.methods) add(problem, study_method(name));
    if (!options.methods.empty()) continue;
    for (const StudyMethod& method : study_methods())
      if (problem.parameters.dimension() <= method.most_parameters) add(problem, method);
  }
  return tasks;
}

}  // namespace

std::vector<std::string> efficiency_methods() {
  std::vector<std::string> names;
  for (const StudyMethod& method : study_methods()) names.push_back(method.name);
  return names;
}

Vector efficiency_start(const Problem& problem, std::uint64_t replicate_seed, std::uint32_t chain,
                        std::uint64_t attempt) {
  Rng rng({replicate_seed, chain, attempt, Purpose::start});
  return prior_start(problem.parameters, rng);
}

std::vector<EfficiencyRow> study_efficiency(
    const EfficiencyOptions& options, const std::function<void(const EfficiencyProgress&)>& on_progress) {
  validate(options);
  const std::vector<Problem> problems = problems_of(options);
  const std::vector<Task> tasks = tasks_of(problems, options);
  std::vector<EfficiencyRow> rows(tasks.size());
  const Index total = static_cast<Index>(tasks.size());
  Index done = 0;
  std::mutex mutex;
  for_each_index(total, options.workers, [&](Index i) {
    const Task& task = tasks[static_cast<std::size_t>(i)];
    rows[static_cast<std::size_t>(i)] = run_and_judge(task, options);
    const std::lock_guard lock(mutex);
    ++done;
    if (on_progress) on_progress({task.problem->name, task.method->name, done, total});
  });
  return rows;
}

}  // namespace hunch
