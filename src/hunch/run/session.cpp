#include "hunch/run/session.hpp"

#include <algorithm>

#include "hunch/run/replay_check.hpp"

namespace hunch {

namespace {

// With `reject` the run went on after failures, so a replay must meet the same ones; with `stop` it did not,
// and a resume tries again.
StoredFailures stored_failures(const Job& job) {
  return job.settings.on_failure == OnFailure::reject ? StoredFailures::stand : StoredFailures::try_again;
}

// Stands where the model was: a replay never gets that far.
class NoModel final : public Model {
 public:
  Capabilities capabilities() const override { return {true}; }
  Outcome evaluate(const Vector& /*theta*/, Want /*want*/) override {
    return {OutcomeKind::lost, {}, "a replay has no model to ask"};
  }
};

RunResult run_with(Store* store, const Job& job, Model& model, const SessionOptions& options) {
  Evaluator evaluator(model, {.workers = options.workers,
                              .attempts = static_cast<int>(job.config.model.attempts),
                              .store = store,
                              .stored_failures = stored_failures(job)});
  const Watch watch(evaluator, options.stopping);
  std::optional<ReplayCheck> check;
  if (store && options.store_holds == StoreHolds::this_run) check.emplace(*store, job.parameters);
  const MayPay may_pay = [&](const std::vector<Vector>& thetas, Want want) {
    if (options.interrupted && options.interrupted()) return false;
    if (check) check->about_to_ask(thetas, evaluator, want);
    return true;
  };
  return run(job.parameters, evaluator, job.starts, job.proposal, job.settings, options.on_round, may_pay);
}

}  // namespace

RunResult run_session(const Job& job, Model& model, Store& store, const SessionOptions& options) {
  return run_with(&store, job, model, options);
}

RunResult run_session(const Job& job, Model& model, const SessionOptions& options) {
  return run_with(nullptr, job, model, options);
}

RunResult replay(const Job& job, Store& store) {
  NoModel nobody;
  Evaluator evaluator(nobody, {.workers = 1,
                               .attempts = static_cast<int>(job.config.model.attempts),
                               .store = &store,
                               .stored_failures = stored_failures(job)});
  ReplayCheck check(store, job.parameters);
  const MayPay known = [&](const std::vector<Vector>& thetas, Want want) {
    check.about_to_ask(thetas, evaluator, want);
    return std::all_of(thetas.begin(), thetas.end(),
                       [&](const Vector& theta) { return evaluator.knows(theta, want); });
  };
  RunSettings settings = job.settings;
  settings.budget.seconds.reset();
  return run(job.parameters, evaluator, job.starts, job.proposal, settings, {}, known);
}

}  // namespace hunch
