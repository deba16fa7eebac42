#include "hunch/run/chain_loop.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/run/assembly.hpp"

namespace hunch {

namespace {

struct Pending {
  Chain& chain;
  Survivor survivor;
};

double default_target_acceptance(const RunSettings& settings, Index dimension) {
  if (settings.target_acceptance) return *settings.target_acceptance;
  if (uses_gradient(settings.method)) return 0.574;
  return dimension == 1 ? 0.44 : dimension < 5 ? 0.3 : 0.234;
}

// What stage 1 believed of the proposal; nothing if it had no belief.
std::optional<Prediction> prediction_of(const Survivor& survivor) {
  if (!survivor.belief) return std::nullopt;
  const Index there = survivor.belief->half();
  const double variance = survivor.belief->covariance(there, there);
  return Prediction{survivor.belief->mean()[there], std::sqrt(std::max(variance, 0.0))};
}

class Loop {
 public:
  Loop(const Parameters& parameters, Purse& purse, const RunSettings& settings, const OnRound& on_round,
       const std::vector<Lesson>& known)
      : parameters_(parameters),
        purse_(purse),
        settings_(settings),
        on_round_(on_round),
        known_(known),
        want_(uses_gradient(settings.method) ? Want::value_and_gradient : Want::value),
        emulator_(
            parameters.dimension(),
            {.observes = uses_gradient(settings.method) ? Observes::values_and_gradients : Observes::values,
             .family = settings.covariance}) {}

  RunResult operator()(const std::vector<Vector>& starts, const Proposal& proposal) {
    const std::vector<Vector> first = unknown(first_points(starts, proposal));
    if (!first.empty())
      if (const auto reason = purse_.refusal(first, want_)) return finish(*reason);
    std::vector<Lesson> lessons = known_;
    if (!first.empty())
      for (Lesson& lesson : purse_.pay_for(first, want_)) lessons.push_back(std::move(lesson));
    begin(starts, lessons, proposal);
    return finish(sample_all());
  }

 private:
  std::vector<Vector> first_points(const std::vector<Vector>& starts, const Proposal& proposal) const;
  std::vector<Vector> unknown(std::vector<Vector> points) const;
  void begin(const std::vector<Vector>& starts, const std::vector<Lesson>& lessons, const Proposal& proposal);
  Ending sample_all();
  std::optional<Ending> sample(Phase phase);
  std::optional<Ending> reason_to_stop(const std::vector<Vector>& about_to_pay);
  bool goal_reached();
  std::optional<Survivor> screen_until_survivor(Chain& chain, Phase phase);
  void settle_and_learn(std::vector<Pending>& pending, const std::vector<Lesson>& paid, Phase phase);
  void finish_iteration(Chain& chain, const StepInfo& info, Phase phase);
  void tune(Chain& chain, const StepInfo& info);
  RunResult finish(Ending ending);
  void report() const;

  Index end_of(Phase phase) const { return settings_.warmup + (phase == Phase::kept ? settings_.draws : 0); }
  ScreenOptions screening(Phase phase) const {
    if (!uses_surrogate(settings_.method)) return {.screen = Screen::none};
    // While the surrogate is poor, `paper` and `ratio` can hold a chain for good: their reverse stage 1
    // carries exp(-v/2) with v in the millions. `early` cannot.
    if (phase == Phase::warmup) return {.screen = Screen::early};
    return {settings_.screen, settings_.screen_floor};
  }
  PriorAt prior_at(const Vector& position) const {
    return {parameters_.log_prior(position),
            want_ == Want::value ? Vector() : parameters_.log_prior_gradient(position)};
  }
  void learn(const std::vector<Lesson>& lessons, Refit refit) {
    if (uses_surrogate(settings_.method)) emulator_.learn(lessons, refit);
  }

  const Parameters& parameters_;
  Purse& purse_;
  const RunSettings& settings_;
  const OnRound& on_round_;
  const std::vector<Lesson>& known_;
  Index next_goal_check_ = 100;
  const Want want_;
  Emulator emulator_;
  std::vector<Chain> chains_;
  std::vector<Adaptation> adaptations_;  // one for each chain
};

// The chains' starts, and near them as many points as the surrogate is to begin with.
std::vector<Vector> Loop::first_points(const std::vector<Vector>& starts, const Proposal& proposal) const {
  std::vector<Vector> points = starts;
  const auto* walk = std::get_if<RandomWalk>(&proposal);
  const auto* langevin = std::get_if<Langevin>(&proposal);
  const Vector spread = walk ? walk->scales : Vector((langevin->delta * langevin->lambda).cwiseSqrt());
  const Index wanted = uses_surrogate(settings_.method) ? settings_.initial_evaluations : 0;
  for (Index i = 0; static_cast<Index>(points.size()) < wanted; ++i) {
    Rng rng({settings_.seed, 0, static_cast<std::uint64_t>(i), Purpose::initial_points});
    points.push_back(starts[i % starts.size()] + spread.cwiseProduct(rng.normal(parameters_.dimension())));
  }
  return points;
}

std::vector<Vector> Loop::unknown(std::vector<Vector> points) const {
  std::erase_if(points, [&](const Vector& point) { return lesson_at(known_, point) != nullptr; });
  return points;
}

void Loop::begin(const std::vector<Vector>& starts, const std::vector<Lesson>& lessons,
                 const Proposal& proposal) {
  learn(lessons, Refit::allowed);
  AdaptationOptions adaptation{.target_acceptance =
                                   default_target_acceptance(settings_, parameters_.dimension())};
  if (settings_.tuning == Tuning::eased || settings_.tuning == Tuning::scale)
    adaptation.reshape = Reshape::never;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const PriorAt prior = prior_at(starts[i]);
    const Lesson& here = *lesson_at(lessons, starts[i]);
    if (!(here.log_likelihood + prior.log_density > -infinity))
      throw InputError("chain " + std::to_string(i + 1) +
                       " starts where the posterior density is zero; choose a start inside the support");
    chains_.push_back({static_cast<std::uint32_t>(i),
                       State{starts[i], prior, {here.log_likelihood, here.gradient}},
                       empty_result(settings_.draws, parameters_.dimension(), proposal)});
    adaptations_.emplace_back(proposal, adaptation);
  }
}

Ending Loop::sample_all() {
  for (Phase phase : {Phase::warmup, Phase::kept})
    if (const auto ending = sample(phase)) return *ending;
  return Ending::complete;
}

// Rounds until every chain is at the phase's end, or something stops the run.
std::optional<Ending> Loop::sample(Phase phase) {
  for (;;) {
    std::vector<Pending> pending;
    for (Chain& chain : chains_)
      if (auto survivor = screen_until_survivor(chain, phase))
        pending.push_back({chain, std::move(*survivor)});
    if (pending.empty()) return std::nullopt;
    std::vector<Vector> positions;
    std::vector<std::optional<Prediction>> predicted;
    for (const Pending& one : pending) {
      positions.push_back(one.survivor.position);
      predicted.push_back(prediction_of(one.survivor));
    }
    if (const auto reason = reason_to_stop(positions)) return reason;
    settle_and_learn(pending, purse_.pay_for(positions, want_, predicted), phase);
    if (on_round_) report();
  }
}

// Asked before each payment. Only `goal` looks at draws, and it does so at fixed lengths: what is drawn
// depends neither on the clock nor on who asks.
std::optional<Ending> Loop::reason_to_stop(const std::vector<Vector>& about_to_pay) {
  if (goal_reached()) return Ending::goal_reached;
  return purse_.refusal(about_to_pay, want_);
}

bool Loop::goal_reached() {
  if (!settings_.budget.goal || kept_by_all(chains_) < next_goal_check_) return false;
  const Index length = next_goal_check_;
  next_goal_check_ += std::max<Index>(50, length / 10);
  return meets(draws_of(parameters_, chains_, length), *settings_.budget.goal);
}

void Loop::report() const {
  const Index total = static_cast<Index>(chains_.size()) * end_of(Phase::kept);
  on_round_(progress_of(parameters_, chains_, Phase::warmup, total, purse_.paid()));
}

// Stage 1, free: the chain goes on until a proposal survives or its phase ends.
std::optional<Survivor> Loop::screen_until_survivor(Chain& chain, Phase phase) {
  const auto beliefs = [this](const Vector& x, const Vector& y) { return emulator_.pair(x, y); };
  const auto prior = [this](const Vector& position) { return prior_at(position); };
  while (chain.iterations() < end_of(phase)) {
    Rng rng({settings_.seed, chain.id, static_cast<std::uint64_t>(chain.iterations()), Purpose::step});
    auto screened = screen(chain.state, chain.result.proposal, screening(phase), beliefs, prior, rng);
    if (auto* survivor = std::get_if<Survivor>(&screened)) return std::move(*survivor);
    finish_iteration(chain, std::get<StepInfo>(screened), phase);
  }
  return std::nullopt;
}

// Stage 2, paid for: each survivor is settled; then everyone learns, in the chains' order.
void Loop::settle_and_learn(std::vector<Pending>& pending, const std::vector<Lesson>& paid, Phase phase) {
  for (std::size_t i = 0; i < pending.size(); ++i) {
    auto& [chain, survivor] = pending[i];
    const Exact exact{paid[i].log_likelihood, paid[i].gradient};
    auto [state, info] = settle(chain.state, survivor, exact, chain.result.proposal, screening(phase));
    chain.state = std::move(state);
    finish_iteration(chain, info, phase);
    purse_.note(i, {info.verdict, iterations(chains_)});
  }
  if (phase == Phase::warmup) learn(paid, Refit::allowed);
  if (phase == Phase::kept && settings_.learning == Learning::proceed) learn(paid, Refit::forbidden);
}

void Loop::finish_iteration(Chain& chain, const StepInfo& info, Phase phase) {
  record(chain, info, phase);
  if (phase == Phase::warmup) tune(chain, info);
}

void Loop::tune(Chain& chain, const StepInfo& info) {
  Adaptation& adaptation = adaptations_[chain.id];
  const bool easing = chain.iterations() <= settings_.warmup / 2;
  if (settings_.tuning == Tuning::adapt || settings_.tuning == Tuning::scale ||
      (settings_.tuning == Tuning::eased && easing)) {
    adaptation.observe(chain.state.position, info);
    chain.result.proposal = adaptation.proposal();
  } else {
    chain.result.proposal = adaptation.initial();
  }
}

RunResult Loop::finish(Ending ending) {
  const Index length = kept_by_all(chains_);
  Draws kept = draws_of(parameters_, chains_, length);
  return {std::move(kept), results_of(std::move(chains_), length), purse_.paid(), ending,
          std::move(emulator_)};
}

}  // namespace

RunResult run_chains(const Parameters& parameters, Purse& purse, const RunSettings& settings,
                     const OnRound& on_round, const std::vector<Vector>& starts, const Proposal& proposal,
                     const std::vector<Lesson>& known) {
  return Loop(parameters, purse, settings, on_round, known)(starts, proposal);
}

}  // namespace hunch
