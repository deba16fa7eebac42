#include "hunch/run/transition_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/run/assembly.hpp"
#include "hunch/run/audited.hpp"
#include "hunch/run/explore.hpp"
#include "hunch/run/transition_step.hpp"

namespace hunch {

namespace {

// Learning goes on until the surrogate is this good: better would cost more than it brings.
constexpr double good_deviation = 0.15;
constexpr double good_moments = 0.2;
// With gradients, better by this factor costs a few evaluations, and saves as many rejected moves.
constexpr double finer = 0.2;
// The first look around is at the ends of the axes, of so many at most: of more they leave most directions
// unseen. With more, evaluations are needed that means and sds depend on: a heavy tail is little of the
// surrogate's draws, but much of an sd (of the eight schools' tau, a seventh of the variance is in half a
// percent of the draws).
constexpr Index most_axes = 5;
// Heavy tails are followed outwards with one in so many of the evaluations: a chain that comes to where the
// surrogate's evaluations ended, and it is several nats too low, may stay for the rest of the run.
constexpr std::int64_t share_for_tails = 6;
// An audited run pays for so few evaluations that it looks around in the plane only: in 4-D and 5-D that
// would make a certificate cost 5 and 8 % more. Without, it missed one of two modes in 5 of 48 runs; with, in
// none.
constexpr Index most_axes_audited = 2;
// Rounds of excursions that try the surrogate out before draws are kept, and what they must show.
constexpr Index trial_rounds = 5;
constexpr int most_trials = 6;
constexpr double good_acceptance = 0.7;
constexpr double useless_acceptance = 0.25;
// While draws are kept, a surrogate that fails this often is taken back to school, and they are dropped.
constexpr double failing_acceptance = 0.4;
constexpr std::size_t acceptances_watched = 32;
constexpr int most_rescues = 3;
constexpr Index first_goal_check = 100;   // kept rounds
constexpr double two_stage_share = 0.05;  // of auto's steps
// Kept rounds before what was paid for is learned; epochs double, up to a length that a chain may well sit
// where the surrogate is too low. To free it before it has done its place justice lowers an sd; where heavy
// tails are raised (with more than most_axes parameters) less so, and shorter epochs are more efficient.
constexpr Index first_epoch = 10;
constexpr Index longest_epoch = 64;
constexpr Index longest_epoch_with_lifts = 16;
// More evaluations than this teach a surrogate little, and cost every free step: from then on only those are
// learned that it was wrong about by so many nats.
constexpr std::size_t most_lessons = 1000;
constexpr double surprise = 0.2;

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
        explorer_(parameters, prior_box(parameters, starts), settings.seed,
                  [this](const std::vector<Vector>& positions) { return pay(positions); },
                  {.deep = settings.exactness == Exactness::audited}) {}

  RunResult operator()() {
    try {
      explore();
      if (settings_.exactness == Exactness::audited) return audited();
      if (warm_up() == Surrogate::useless) return fall_back();
      while (sample() == Surrogate::useless) {
        drop_draws();
        if (++rescues_ > most_rescues || warm_up() == Surrogate::useless) return fall_back();
      }
      return finish(Ending::complete);
    } catch (const Stopped& stopped) {
      return finish(stopped.ending);
    }
  }

 private:
  enum class Surrogate { useful, useless };

  std::vector<Lesson> pay(const std::vector<Vector>& positions);
  std::vector<std::optional<Prediction>> predict(const std::vector<Vector>& positions) const;
  void explore();
  void doubt(const Found& found);
  void disperse();
  Surrogate warm_up();
  Surrogate sample();
  RunResult fall_back();
  RunResult audited();
  RunResult finish(Ending ending);

  void drop_draws();
  void choose_kernel();
  void forget_the_expected();
  void learn_again(Phase phase);
  double round(Phase phase);
  bool failing() const;
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
  InnerChoice inner_;
  std::vector<bool> last_accepted_;
  Index next_goal_check_ = first_goal_check;
  int rescues_ = 0;
  std::vector<std::string> remarks_;
  std::vector<std::string> doubts_;
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
  doubt(*explorer_.found());
  const bool audited = settings_.exactness == Exactness::audited;
  if (d <= (audited ? most_axes_audited : most_axes)) explorer_.look_around();
  if (audited) return;
  const double demanded = settings_.gradients ? finer : 1;
  LearningGoal goal{demanded * good_moments, demanded * good_deviation, most_learning(),
                    d <= most_axes ? About::all : About::moments};
  const std::int64_t for_tails = most_learning() / share_for_tails;
  goal.evaluations -= for_tails;
  explorer_.learn(goal);
  explorer_.follow_tails(for_tails);
  goal.evaluations += for_tails;
  explorer_.learn(goal);
  // From here on a step is accepted by values alone, and a gradient may cost more than one.
  want_ = Want::value;
}

// Without the bulk there is nothing to learn; with a top that only one of several climbs reached there may be
// a higher one.
void TransitionLoop::doubt(const Found& found) {
  if (found.best.ending == Climbed::Ending::not_found) {
    doubts_.push_back(
        "not at the bulk of the posterior: after " + std::to_string(purse_.paid()) +
        " evaluations the log posterior still rises" +
        (std::isfinite(found.best.still_promised)
             ? ", by some " + std::to_string(std::lround(found.best.still_promised)) + " nats or more"
             : std::string()) +
        "; narrower priors, or start = ... for the parameters, would help");
    throw Stopped{Ending::complete};
  }
  if (found.confirmed) return;
  double second = -infinity;
  for (const Climbed& other : found.others) second = std::max(second, other.top.log_posterior);
  doubts_.push_back("of " + std::to_string(found.climbs) +
                    " climbs from different starts only one reached the highest point" +
                    (std::isfinite(second)
                         ? ", and the next best ended " +
                               std::to_string(std::lround(found.best.top.log_posterior - second)) +
                               " nats lower"
                         : std::string()) +
                    ": the posterior may have a higher or another mode that was not found; run again with "
                    "another seed, or with narrower priors");
}

// Chains start at draws from the surrogate's flattened form: farther apart than the posterior is wide.
void TransitionLoop::disperse() {
  const Cloud& cloud = explorer_.survey().cloud;
  const Index bulk = explorer_.survey().bulk;
  const Index tails = cloud.positions.cols() - bulk;
  const auto n = static_cast<Index>(starts_.size());
  std::vector<Vector> positions;
  for (Index i = 0; i < n; ++i)
    positions.push_back(cloud.positions.col(bulk + (2 * i + 1) * tails / (2 * n)));
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

// They were burn-in after all.
void TransitionLoop::drop_draws() {
  for (Chain& chain : chains_) {
    for (Index i = 0; i < chain.result.kept.iterations; ++i)
      chain.result.warmup_positions.emplace_back(chain.result.positions.row(i).transpose());
    chain.result.warmup += chain.result.kept;
    chain.result.kept = {};
  }
  next_goal_check_ = first_goal_check;
}

void TransitionLoop::choose_kernel() {
  const Matrix archive = explorer_.survey().cloud.positions.leftCols(explorer_.survey().bulk);
  const TailLifts lifts =
      parameters_.dimension() > most_axes ? lifts_of(explorer_.survey().cloud, parameters_) : TailLifts();
  inner_ = choose_inner(explorer_.landscape(), parameters_, archive, settings_.seed, lifts);
}

void TransitionLoop::forget_the_expected() {
  if (explorer_.landscape().lessons().size() + unlearned_.size() <= most_lessons) return;
  std::vector<Lesson> kept;
  TrendProcess::Workspace workspace;
  for (Lesson& lesson : unlearned_) {
    const double error = lesson.log_likelihood - explorer_.landscape().value(lesson.position, workspace);
    if (!(std::abs(error) <= surprise)) kept.push_back(std::move(lesson));
  }
  unlearned_ = std::move(kept);
}

void TransitionLoop::learn_again(Phase phase) {
  if (phase == Phase::kept) {
    forget_the_expected();
    if (unlearned_.empty()) return;
    if (!explorer_.look_closer(unlearned_)) return;  // another time, with more of them
  } else {
    explorer_.absorb(unlearned_);
    explorer_.look_again();
  }
  unlearned_.clear();
  choose_kernel();
}

TransitionLoop::Surrogate TransitionLoop::warm_up() {
  if (chains_.empty()) disperse();
  learn_again(Phase::warmup);
  double acceptance = 0;
  for (int trial = 0; trial < most_trials; ++trial) {
    acceptance = 0;
    for (Index i = 0; i < trial_rounds; ++i) acceptance += round(Phase::warmup) / trial_rounds;
    learn_again(Phase::warmup);
    if (acceptance >= good_acceptance) break;
  }
  last_accepted_.clear();
  return acceptance < useless_acceptance && settings_.method == Method::automatic ? Surrogate::useless
                                                                                  : Surrogate::useful;
}

TransitionLoop::Surrogate TransitionLoop::sample() {
  Index next_epoch = first_epoch;
  for (Index kept = 0; kept < settings_.draws; ++kept) {
    if (settings_.budget.goal && kept >= next_goal_check_) {
      next_goal_check_ += std::max<Index>(50, kept / 10);
      if (meets(draws_of(parameters_, chains_, kept), *settings_.budget.goal))
        throw Stopped{Ending::goal_reached};
    }
    if (kept == next_epoch && settings_.learning != Learning::freeze) {
      learn_again(Phase::kept);
      next_epoch += std::min(next_epoch, inner_.lifts.empty() ? longest_epoch : longest_epoch_with_lifts);
    }
    round(Phase::kept);
    if (failing()) {
      remarks_.push_back("after " + std::to_string(kept + 1) +
                         " draws of each chain the surrogate failed too often: they were dropped" +
                         (rescues_ < most_rescues ? ", and it learned again" : ""));
      return Surrogate::useless;
    }
  }
  return Surrogate::useful;
}

bool TransitionLoop::failing() const {
  if (last_accepted_.size() < acceptances_watched) return false;
  const auto accepted = std::count(last_accepted_.end() - acceptances_watched, last_accepted_.end(), true);
  return static_cast<double>(accepted) < failing_acceptance * static_cast<double>(acceptances_watched);
}

// Every chain makes one step. Returns the mean stage-2 probability of the excursions.
double TransitionLoop::round(Phase phase) {
  std::vector<Chain*> waiting;
  std::vector<Errand> errands;
  std::vector<Vector> positions;
  for (Chain& chain : chains_) {
    Rng rng({settings_.seed, chain.id, static_cast<std::uint64_t>(chain.iterations()), Purpose::inner});
    auto step = set_out(chain.state, explorer_.landscape(), parameters_, inner_,
                        settings_.method == Method::automatic ? two_stage_share : 0, rng);
    if (auto* errand = std::get_if<Errand>(&step)) {
      waiting.push_back(&chain);
      positions.push_back(errand->position());
      errands.push_back(std::move(*errand));
    } else {
      record(chain, std::get<StepInfo>(step), phase);
    }
  }
  const std::vector<Lesson> paid = positions.empty() ? std::vector<Lesson>() : pay(positions);
  unlearned_.insert(unlearned_.end(), paid.begin(), paid.end());
  double sum = 0;
  double excursions = 0;
  for (std::size_t i = 0; i < errands.size(); ++i) {
    Chain& chain = *waiting[i];
    auto [state, info] = come_back(chain.state, errands[i], paid[i]);
    chain.state = std::move(state);
    record(chain, info, phase);
    purse_.note(i, {info.verdict, iterations(chains_)});
    if (!errands[i].is_excursion()) continue;
    sum += std::exp(info.log_alpha_2.value_or(-infinity));
    excursions += 1;
    last_accepted_.push_back(info.verdict == Verdict::accepted);
  }
  if (on_round_) report();
  return excursions > 0 ? sum / excursions : 1;
}

// Plain screening, from where exploring came to, with what burn-in has left.
RunResult TransitionLoop::fall_back() {
  remarks_.emplace_back(
      "the surrogate did not learn this posterior well enough for long moves: draws are made by plain "
      "two-stage steps (gp-mh), as exact as ever, at more evaluations each");
  explorer_.absorb(unlearned_);
  unlearned_.clear();
  const Index d = parameters_.dimension();
  RunSettings plain = settings_;
  plain.method = Method::gp_mh;
  plain.tuning = Tuning::scale;
  plain.learning = settings_.learning == Learning::freeze ? Learning::freeze : Learning::proceed;
  const auto chains = static_cast<Index>(starts_.size());
  plain.warmup = std::max<Index>(settings_.warmup - static_cast<Index>(purse_.paid()) / chains,
                                 std::min<Index>(settings_.warmup, 50));
  std::vector<Vector> from;
  for (const Chain& chain : chains_) from.push_back(chain.state.position);
  const RandomWalk walk{Vector::Constant(d, 2.38 / std::sqrt(static_cast<double>(d))),
                        explorer_.landscape().frame().factor};
  RunResult result =
      run_chains(parameters_, purse_, plain, on_round_, from, walk, explorer_.landscape().lessons());
  result.remarks = remarks_;
  result.doubts = doubts_;
  return result;
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
          std::move(remarks_),
          std::move(outcome.certificate),
          std::move(doubts_)};
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
          std::move(remarks_),
          std::nullopt,
          std::move(doubts_)};
}

}  // namespace

RunResult run_transitions(const Parameters& parameters, Purse& purse, const RunSettings& settings,
                          const OnRound& on_round, const std::vector<Vector>& starts) {
  return TransitionLoop(parameters, purse, settings, on_round, starts)();
}

}  // namespace hunch
