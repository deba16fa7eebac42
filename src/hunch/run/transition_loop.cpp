#include "hunch/run/transition_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/explore/excursion_kernel.hpp"
#include "hunch/explore/explorer.hpp"
#include "hunch/run/assembly.hpp"
#include "hunch/run/audited.hpp"
#include "hunch/sampler/step.hpp"

namespace hunch {

namespace {

// Rounds of burn-in before what they paid for is learned, so often at most.
constexpr Index trial_rounds = 5;
constexpr int most_trials = 6;
constexpr Index first_goal_check = 100;  // kept rounds
constexpr Index first_epoch = 10;        // kept rounds before what was paid for is learned

// Thrown where money is refused, caught where the run ends.
struct Stopped {
  Ending ending;
};

class TransitionLoop {
 public:
  TransitionLoop(const Parameters& parameters, Purse& purse, const RunSettings& settings,
                 const OnRound& on_round, const std::vector<Vector>& starts)
      : parameters_(parameters),
        purse_(purse),
        settings_(settings),
        on_round_(on_round),
        starts_(starts),
        want_(settings.gradients ? Want::value_and_gradient : Want::value),
        explorer_(
            parameters, prior_box(parameters, starts), settings.seed,
            [this](const std::vector<Vector>& positions) { return pay(positions); }, settings.explore),
        two_stage_share_(settings.explore.two_stage_share) {}

  RunResult operator()() {
    try {
      explore();
      if (settings_.exactness == Exactness::audited) return audited();
      disperse();
      warm_up();
      sample();
      return finish(Ending::complete);
    } catch (const Stopped& stopped) {
      return finish(stopped.ending);
    }
  }

 private:
  std::vector<Lesson> pay(const std::vector<Vector>& positions);
  std::vector<std::optional<Prediction>> predict(const std::vector<Vector>& positions) const;
  void explore();
  [[noreturn]] void give_up();
  void doubt_top();
  void doubt_surrogate();
  void disperse();
  void warm_up();
  void sample();
  RunResult audited();
  RunResult finish(Ending ending);

  double learn_again();
  void round(Phase phase);
  void report();
  std::int64_t most_learning() const;

  const Parameters& parameters_;
  Purse& purse_;
  const RunSettings& settings_;
  const OnRound& on_round_;
  const std::vector<Vector>& starts_;
  Want want_;
  Explorer explorer_;
  std::vector<Chain> chains_;
  std::vector<Lesson> unlearned_;  // paid for by excursions since the surrogate last changed
  ExcursionKernel kernel_;
  SurrogateDensity surrogate_;
  Index next_goal_check_ = first_goal_check;
  double two_stage_share_;
  double accepted_ = 0;    // excursions since the surrogate last changed, by their probabilities, ...
  double excursions_ = 0;  // ... and all
  std::vector<std::string> doubts_;
  Milestones milestones_;
};

std::vector<Lesson> TransitionLoop::pay(const std::vector<Vector>& positions) {
  if (const auto reason = purse_.refusal(positions, want_)) throw Stopped{*reason};
  std::vector<Lesson> paid = purse_.pay_for(positions, want_, predict(positions));
  if (on_round_ && chains_.empty()) report();  // later, rounds report themselves
  return paid;
}

std::vector<std::optional<Prediction>> TransitionLoop::predict(const std::vector<Vector>& positions) const {
  std::vector<std::optional<Prediction>> predicted(positions.size());
  if (explorer_.landscape().size() == 0) return predicted;
  Matrix columns(parameters_.dimension(), static_cast<Index>(positions.size()));
  for (std::size_t i = 0; i < positions.size(); ++i) columns.col(static_cast<Index>(i)) = positions[i];
  const Vector values = explorer_.landscape().values(columns);
  const Vector deviations = explorer_.landscape().deviations(columns);
  for (std::size_t i = 0; i < positions.size(); ++i)
    predicted[i] = {values[static_cast<Index>(i)], deviations[static_cast<Index>(i)]};
  return predicted;
}

// Half of what burn-in would cost a plain chain, or what a surrogate of this many dimensions may need.
std::int64_t TransitionLoop::most_learning() const {
  const auto d = static_cast<std::int64_t>(parameters_.dimension());
  const std::int64_t wanted = 100 + 10 * d + (d + 1) * (d + 2);
  const auto burn_in = static_cast<std::int64_t>(starts_.size()) * settings_.warmup;
  return std::min(wanted, std::max<std::int64_t>(burn_in / 2, 10 * d));
}

void TransitionLoop::explore() {
  const Index d = parameters_.dimension();
  const auto chains = static_cast<Index>(starts_.size());
  std::vector<Vector> first = starts_;
  const Index more = std::max<Index>(2 * d + 6 - chains, 2);
  for (Vector& point : fill_prior(parameters_, prior_box(parameters_, starts_), more, settings_.seed))
    first.push_back(std::move(point));
  explorer_.find(first);
  milestones_.found = purse_.paid();
  if (explorer_.found()->best.ending == Climbed::Ending::not_found) give_up();
  doubt_top();
  if (settings_.exactness == Exactness::audited) return;
  explorer_.learn({.evaluations = *milestones_.found + most_learning(),
                   .draws = static_cast<std::int64_t>(starts_.size()) * settings_.draws});
  if (doubts_.empty()) doubt_top();
  doubt_surrogate();
  milestones_.learned = purse_.paid();
  // From here on a step is accepted by values alone, and a gradient may cost more than one.
  want_ = Want::value;
}

// Without the bulk there is nothing to learn.
void TransitionLoop::give_up() {
  const double promised = explorer_.found()->best.still_promised;
  doubts_.push_back("not at the bulk of the posterior: after " + std::to_string(purse_.paid()) +
                    " evaluations the log posterior still rises" +
                    (std::isfinite(promised)
                         ? ", by some " + std::to_string(std::lround(promised)) + " nats or more"
                         : "") +
                    "; narrower priors, or start = ... for the parameters, would help");
  throw Stopped{Ending::complete};
}

// Where climbs did not agree there may be a higher top.
void TransitionLoop::doubt_top() {
  const Found& found = *explorer_.found();
  if (found.confirmed) return;
  double second = -infinity;
  for (const Climbed& other : found.others) second = std::max(second, other.top.log_posterior);
  doubts_.push_back(
      "climbs from different starts did not agree (" + std::to_string(found.climbs) + " climbs" +
      (std::isfinite(second)
           ? "; the second best top is " +
                 std::to_string(std::lround(found.best.top.log_posterior - second)) + " nats lower"
           : std::string()) +
      "): the posterior may have a higher or another mode that was not found; run again with another seed, "
      "or with narrower priors");
}

// Draws are exact, but chains stay where excursions take them: if these cannot be relied on where a mean or
// an sd is decided, nobody knows what was not visited. At such an error fewer than half of them would be
// accepted.
void TransitionLoop::doubt_surrogate() {
  constexpr double most = 1;  // nats
  const double error = explorer_.error_where_it_counts();
  if (error < most) return;
  doubts_.push_back(fmt::format(
      "after {} evaluations the surrogate still errs by {} nats where means and sds are decided: parts "
      "of the posterior, such as a tail or an arm, may not have been visited; more draws, or gp-mh, would "
      "tell",
      purse_.paid(), error < 100 ? fmt::format("{:.2g}", error) : "more than 100"));
}

// Chains start at draws from the surrogate's flattened form, farther apart than the posterior is wide, but
// where excursions may go.
void TransitionLoop::disperse() {
  const Cloud& cloud = explorer_.survey().cloud;
  const Index bulk = explorer_.survey().bulk;
  std::vector<Index> tails;
  GaussianProcess::Workspace workspace;
  for (Index i = bulk; i < cloud.positions.cols(); ++i)
    if (explorer_.landscape().knows(cloud.positions.col(i), settings_.explore.trust, workspace))
      tails.push_back(i);
  if (tails.empty()) tails.push_back(0);
  const std::size_t n = starts_.size();
  std::vector<Vector> positions;
  for (std::size_t i = 0; i < n; ++i)
    positions.push_back(cloud.positions.col(tails[(2 * i + 1) * tails.size() / (2 * n)]));
  const std::vector<Lesson> paid = pay(positions);
  unlearned_.insert(unlearned_.end(), paid.begin(), paid.end());
  chains_.clear();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    // Where the flattened form was wrong, the best point known is a start that is certainly possible.
    const bool possible = paid[i].log_likelihood + paid[i].log_prior > -infinity;
    const Lesson& start = possible ? paid[i] : explorer_.landscape().best();
    chains_.push_back({static_cast<std::uint32_t>(i),
                       State{start.position, {start.log_prior, {}}, {start.log_likelihood, std::nullopt}},
                       empty_result(settings_.draws, parameters_.dimension(), RandomWalk{Vector()})});
  }
}

// What the chains paid for teaches the surrogate. Returns the share of excursions that were accepted since it
// last changed.
double TransitionLoop::learn_again() {
  const ExploreOptions& options = settings_.explore;
  const auto known = static_cast<Index>(explorer_.landscape().lessons().size());
  if (known < options.most_lessons || kernel_.steps == 0) {
    explorer_.absorb(unlearned_);
    explorer_.look_again();
    const Survey& survey = explorer_.survey();
    surrogate_ = density_of(explorer_.landscape(), parameters_, options.trust);
    kernel_ = choose_excursion_kernel(surrogate_, explorer_.landscape().frame().factor,
                                      survey.cloud.positions.leftCols(survey.bulk), options.correlation_times,
                                      settings_.seed);
  }
  unlearned_.clear();
  const double accepted = excursions_ > 0 ? accepted_ / excursions_ : 1;
  two_stage_share_ = std::clamp(std::pow(1 - accepted, 2), options.two_stage_share, 0.95);
  accepted_ = excursions_ = 0;
  return accepted;
}

void TransitionLoop::warm_up() {
  learn_again();
  for (int trial = 0; trial < most_trials; ++trial) {
    for (Index i = 0; i < trial_rounds; ++i) round(Phase::warmup);
    if (learn_again() >= settings_.explore.good_acceptance) break;
  }
}

void TransitionLoop::sample() {
  Index next_epoch = first_epoch;
  for (Index kept = 0; kept < settings_.draws; ++kept) {
    if (settings_.budget.goal && kept >= next_goal_check_) {
      next_goal_check_ += std::max<Index>(50, kept / 10);
      if (meets(draws_of(parameters_, chains_, kept), *settings_.budget.goal))
        throw Stopped{Ending::goal_reached};
    }
    if (kept == next_epoch && settings_.learning != Learning::freeze) {
      learn_again();
      next_epoch += std::min(next_epoch, settings_.explore.longest_epoch);
    }
    round(Phase::kept);
  }
}

// Every chain makes one step.
void TransitionLoop::round(Phase phase) {
  const Index d = parameters_.dimension();
  const StepKernel kernel{
      kernel_.kernel,
      kernel_.steps,
      {Vector::Constant(d, 2.38 / std::sqrt(static_cast<double>(d))), explorer_.landscape().frame().factor},
      two_stage_share_};
  std::vector<Chain*> waiting;
  std::vector<PendingStep> steps;
  std::vector<Vector> positions;
  for (Chain& chain : chains_) {
    Rng rng({settings_.seed, chain.id, static_cast<std::uint64_t>(chain.iterations()), Purpose::inner});
    auto step = propose_step(chain.state, kernel, surrogate_, rng);
    if (auto* pending = std::get_if<PendingStep>(&step)) {
      waiting.push_back(&chain);
      positions.push_back(pending->position());
      steps.push_back(std::move(*pending));
    } else {
      record(chain, std::get<StepInfo>(step), phase);
    }
  }
  const std::vector<Lesson> paid = positions.empty() ? std::vector<Lesson>() : pay(positions);
  unlearned_.insert(unlearned_.end(), paid.begin(), paid.end());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Chain& chain = *waiting[i];
    auto [state, info] = settle(chain.state, steps[i], PriorAt{paid[i].log_prior, {}},
                                Exact{paid[i].log_likelihood, std::nullopt});
    chain.state = std::move(state);
    record(chain, info, phase);
    purse_.note(i, {info.verdict, iterations(chains_)});
    if (!steps[i].is_excursion()) continue;
    excursions_ += 1;
    accepted_ += std::exp(info.log_alpha_2.value_or(-infinity));
  }
  if (on_round_) report();
}

RunResult TransitionLoop::audited() {
  const auto d = static_cast<std::int64_t>(parameters_.dimension());
  AuditedDraws outcome =
      draw_audited(explorer_, parameters_, settings_, starts_.size(), most_learning() + 100 + 20 * d,
                   [this](const std::vector<Vector>& positions) { return pay(positions); });
  std::vector<const Matrix*> positions;
  for (const ChainResult& chain : outcome.chains) positions.push_back(&chain.positions);
  const Index length = outcome.chains.empty() ? 0 : settings_.draws;
  Draws kept = draws_of(parameters_, positions, length);
  return {std::move(kept),
          std::move(outcome.chains),
          purse_.paid(),
          Ending::complete,
          Emulator(parameters_.dimension(), {}),
          {},
          std::move(outcome.certificate),
          std::move(doubts_),
          milestones_};
}

void TransitionLoop::report() {
  const Index total = static_cast<Index>(starts_.size()) * settings_.draws;
  on_round_(progress_of(parameters_, chains_, Phase::kept, total, purse_.paid()));
}

RunResult TransitionLoop::finish(Ending ending) {
  const Index length = kept_by_all(chains_);
  Draws kept = draws_of(parameters_, chains_, length);
  return {std::move(kept),
          results_of(std::move(chains_), length),
          purse_.paid(),
          ending,
          Emulator(parameters_.dimension(), {}),
          {},
          std::nullopt,
          std::move(doubts_),
          milestones_};
}

}  // namespace

RunResult run_transitions(const Parameters& parameters, Purse& purse, const RunSettings& settings,
                          const OnRound& on_round, const std::vector<Vector>& starts) {
  return TransitionLoop(parameters, purse, settings, on_round, starts)();
}

}  // namespace hunch
