#include "hunch/study/breadth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "hunch/core/numeric.hpp"
#include "hunch/evaluation/parallel.hpp"
#include "hunch/run/sample.hpp"

namespace hunch {
namespace {

constexpr double nats_above_bulk = 3;  // beside the d/2 that a normal's draws are below its top on average

// A posterior's likelihood as a model that counts its batches, times itself and notices the bulk.
class MeasuredModel final : public Model {
 public:
  MeasuredModel(const BreadthPosterior& posterior, std::function<double()> cpu_seconds)
      : posterior_(posterior), cpu_seconds_(std::move(cpu_seconds)) {
    const auto& best = breadth_reference(posterior.problem).best_log_posterior;
    const double below = 0.5 * static_cast<double>(posterior.parameters.dimension()) + nats_above_bulk;
    if (best) bulk_level_ = *best - below;
  }

  Capabilities capabilities() const override { return {.gradient = false}; }
  Asked asked() const override { return Asked::together; }
  Outcome evaluate(const Vector& theta, Want want) override { return evaluate_all({theta}, want).front(); }

  std::vector<Outcome> evaluate_all(const std::vector<Vector>& thetas, Want) override {
    const double begun = now();
    begun_with_.push_back(evaluations_);
    std::vector<Outcome> outcomes;
    for (const Vector& theta : thetas) {
      ++evaluations_;
      if (!to_bulk_ && bulk_level_ && posterior_.log_posterior(theta) >= *bulk_level_)
        to_bulk_ = evaluations_;
      const double value = posterior_.log_likelihood(theta);
      const OutcomeKind kind = value > -infinity ? OutcomeKind::value : OutcomeKind::zero;
      outcomes.push_back({kind, {value, std::nullopt}, {}});
    }
    inside_ += now() - begun;
    return outcomes;
  }

  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t rounds() const { return static_cast<std::int64_t>(begun_with_.size()); }
  // Batches that the first so many evaluations were made in.
  std::int64_t rounds_of(std::int64_t evaluations) const {
    return std::lower_bound(begun_with_.begin(), begun_with_.end(), evaluations) - begun_with_.begin();
  }
  std::optional<std::int64_t> to_bulk() const { return to_bulk_; }
  double now() const { return cpu_seconds_ ? cpu_seconds_() : 0; }
  double inside() const { return inside_; }  // CPU seconds

 private:
  const BreadthPosterior& posterior_;
  std::function<double()> cpu_seconds_;
  std::optional<double> bulk_level_;
  std::int64_t evaluations_ = 0;
  std::vector<std::int64_t> begun_with_;  // evaluations before each batch
  std::optional<std::int64_t> to_bulk_;
  double inside_ = 0;
};

struct Task {
  const BreadthPosterior* posterior;
  std::string exactness;
  std::uint64_t seed;
};

BreadthRow row_for(const Task& task) {
  BreadthRow row;
  row.posterior = task.posterior->name;
  row.dimension = task.posterior->parameters.dimension();
  row.group = task.posterior->group;
  row.half = task.posterior->half;
  row.prior = task.posterior->prior;
  row.exactness = task.exactness;
  row.seed = task.seed;
  return row;
}

// "R-hat 1.04, effective sample size 210"
std::string worst_diagnostics(const std::vector<ParameterSummary>& summary) {
  double rhat = 1;
  double ess = infinity;
  for (const ParameterSummary& one : summary) {
    rhat = std::fmax(rhat, one.rhat.value_or(infinity));
    ess = std::min({ess, one.ess_bulk.value_or(0), one.ess_tail.value_or(0)});
  }
  return fmt::format("R-hat {:.3g}, effective sample size {:.0f}", rhat, ess);
}

void judge(BreadthRow& row, const SampleResult& result, const BreadthReference& reference) {
  const bool any = result.draws.chains() > 0 && result.draws.length(0) > 0;
  if (result.ending != Ending::complete) {
    row.note = "stopped for time";
  } else if (!any) {
    row.note = !result.doubts.empty() ? result.doubts.front()
               : result.certificate   ? result.certificate->reason
                                      : "no draws";
  } else {
    row.score = score_draws(result.draws, reference);
    row.verdict = breadth_verdict(*row.score, draws_status(result.certificate, result.doubts, result.ending,
                                                           result.summary, result.draws.chains()));
    std::vector<std::string> notes = row.score->faults;
    for (const std::string& doubt : result.doubts) notes.push_back("doubt: " + doubt);
    if (!converged(result.summary, result.draws.chains())) notes.push_back(worst_diagnostics(result.summary));
    row.note = fmt::format("{}", fmt::join(notes, "; "));
  }
}

SampleOptions sample_options(const Task& task, const BreadthOptions& options) {
  SampleOptions sampling;
  sampling.exactness = task.exactness;
  sampling.chains = options.chains;
  sampling.draws = options.draws;
  sampling.seed = task.seed;
  sampling.budget.seconds = options.max_seconds;
  sampling.explore = options.explore;
  return sampling;
}

BreadthRow run_and_judge(const Task& task, const BreadthOptions& options) {
  BreadthRow row = row_for(task);
  std::vector<SampleParameter> parameters;
  for (const Parameter& one : task.posterior->parameters.list()) parameters.push_back({one.name, one.prior});
  MeasuredModel model(*task.posterior, options.cpu_seconds);
  const double begun = model.now();
  double taken = 0;
  try {
    const SampleResult result = sample(model, parameters, sample_options(task, options));
    taken = model.now() - begun;
    judge(row, result, breadth_reference(task.posterior->problem));
    row.evaluations_to_found = result.milestones.found;
    if (row.evaluations_to_found) row.rounds_to_found = model.rounds_of(*row.evaluations_to_found);
    row.evaluations_to_learned = result.milestones.learned;
  } catch (const std::runtime_error& error) {
    taken = model.now() - begun;
    row.note = error.what();
  }
  row.evaluations = model.evaluations();
  row.evaluations_to_bulk = model.to_bulk();
  row.rounds = model.rounds();
  if (row.evaluations > 0)
    row.own_ms_per_evaluation = 1000 * (taken - model.inside()) / static_cast<double>(row.evaluations);
  return row;
}

void validate(const BreadthOptions& options) {
  const auto at_least_one = [](const std::string& what, std::int64_t given) {
    if (given < 1) throw InputError(fmt::format("{}: got {}, expected 1 or more", what, given));
  };
  at_least_one("replicates", options.replicates);
  at_least_one("jobs", options.jobs);
  at_least_one("chains", options.chains);
  at_least_one("draws", options.draws);
  if (!(options.max_seconds > 0)) throw InputError("max time: expected more than 0 seconds");
  if (options.half && !options.posteriors.empty())
    throw InputError("posteriors: got names and a half, expected only one of both");
  for (const std::string& exactness : options.exactness)
    if (exactness != "exact" && exactness != "audited")
      throw InputError("exactness: got '" + exactness + "', expected exact or audited");
}

std::vector<Task> tasks_of(const BreadthOptions& options) {
  std::vector<const BreadthPosterior*> chosen;
  for (const std::string& name : options.posteriors) chosen.push_back(&breadth_posterior(name));
  if (chosen.empty())
    for (const BreadthPosterior& posterior : breadth_posteriors())
      if (!options.half || posterior.half == *options.half) chosen.push_back(&posterior);
  std::vector<Task> tasks;
  for (const BreadthPosterior* posterior : chosen)
    for (const std::string& exactness : options.exactness)
      for (int replicate = 0; replicate < options.replicates; ++replicate)
        tasks.push_back({posterior, exactness, options.seed + static_cast<std::uint64_t>(replicate)});
  return tasks;
}

}  // namespace

std::vector<BreadthRow> study_breadth(const BreadthOptions& options,
                                      const std::function<void(const BreadthProgress&)>& on_progress) {
  validate(options);
  const std::vector<Task> tasks = tasks_of(options);
  const auto total = static_cast<Index>(tasks.size());
  std::vector<BreadthRow> rows(tasks.size());
  Index done = 0;
  std::mutex mutex;
  for_each_index(total, options.jobs, [&](Index i) {
    BreadthRow& row = rows[static_cast<std::size_t>(i)];
    row = run_and_judge(tasks[static_cast<std::size_t>(i)], options);
    const std::lock_guard lock(mutex);
    ++done;
    if (on_progress) on_progress({row, done, total});
  });
  return rows;
}

}  // namespace hunch
