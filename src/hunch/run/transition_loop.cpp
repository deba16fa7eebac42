#include "hunch/run/transition_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/run/assembly.hpp"
#include "hunch/run/audited.hpp"
#include "hunch/run/explore.hpp"
#include "hunch/run/inner_kernel.hpp"

namespace hunch {

namespace {

// Learning goes on until the surrogate is this good: better would cost more than it brings.
constexpr double good_deviation = 0.15;
constexpr double good_moments = 0.2;
// With gradients, better by this factor costs a few evaluations, and saves as many rejected moves.
constexpr double finer = 0.2;
// The first look around is at the ends of the axes, of so many at most: of more they leave most directions
// unseen. With more, deep evaluations are needed for the tails instead, and such as means and sds depend on:
// a heavy tail is little of the surrogate's draws, but much of an sd (of the eight schools' tau, a seventh of
// the variance is in half a percent of the draws; it came out with an sd 8 % low, and now 4 %).
constexpr Index most_axes = 5;
// Rounds of excursions that try the surrogate out before draws are kept, and what they must show.
constexpr Index trial_rounds = 5;
constexpr int most_trials = 6;
constexpr double good_acceptance = 0.7;
constexpr double useless_acceptance = 0.25;
// While draws are kept, a surrogate that fails this often is taken back to school, and they are dropped.
constexpr double failing_acceptance = 0.4;
constexpr std::size_t acceptances_watched = 32;
constexpr int most_rescues = 3;
constexpr Index first_goal_check = 100;  // kept rounds
constexpr double two_stage_share = 0.05;
// Of these steps: it compares the two ends of a move, so that a chain where the surrogate is far too low,
// from which no excursion is accepted, can still leave.
constexpr ScreenOptions mixed_screen{.screen = Screen::ratio};
// Kept rounds before what was paid for is learned; epochs double, up to a length that a chain may well sit
// where the surrogate is too low. To learn more often from the start frees such chains before they have done
// their place justice: with epochs 1.4 times as long each the eight schools' tau came out with an sd 9 % low.
constexpr Index first_epoch = 10;
constexpr Index longest_epoch = 64;
// More evaluations than this teach a surrogate little, and cost every free step: from then on only those are
// learned that it was wrong about by so many nats.
constexpr std::size_t most_lessons = 1000;
constexpr double surprise = 0.2;

// Thrown where money is refused, caught where the run ends.
struct Stopped {
  Ending ending;
};

struct Chain {
  std::uint32_t id;
  State state;
  ChainResult result;
  Index kept = 0;
  Index rounds = 0;
};

// What a chain wants to pay for in this round.
struct Errand {
  Chain& chain;
  std::variant<Excursion, Survivor> step;
  RandomWalk walk;  // of a two-stage step
};

enum class Keep { no, yes };

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
                  {.deep = settings.exactness == Exactness::audited || parameters.dimension() > most_axes}) {}

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
  void disperse();
  Surrogate warm_up();
  Surrogate sample();
  RunResult fall_back();
  RunResult audited();
  RunResult finish(Ending ending);

  void drop_draws();
  void choose_kernel();
  void forget_the_expected();
  void learn_again(Keep keep);
  double round(Keep keep);
  std::optional<Errand> set_out(Chain& chain, Keep keep);
  Transition come_back(const Errand& errand, const Lesson& paid) const;
  void record(Chain& chain, const StepInfo& info, Keep keep);
  bool failing() const;
  PairBelief beliefs(const Vector& x, const Vector& y) const;
  Index kept_by_all() const;
  Index iterations() const;
  Draws draws(Index length) const;
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
  // Points far below the top tell little but where to climb from: few will do. A climb by slopes goes astray
  // more easily from few.
  const Index more =
      settings_.gradients ? std::max(2 * d + 2 - chains, d) : std::max<Index>(d + 4 - chains, 2);
  for (Vector& point : fill_prior(parameters_, prior_box(parameters_, starts_), more, settings_.seed))
    first.push_back(std::move(point));
  explorer_.find(first);
  if (settings_.exactness == Exactness::audited) return;
  if (d <= most_axes) explorer_.look_around();
  const double demanded = settings_.gradients ? finer : 1;
  explorer_.learn({demanded * good_moments, demanded * good_deviation, most_learning(),
                   d <= most_axes ? About::all : About::moments});
  // From here on a step is accepted by values alone, and a gradient may cost more than one.
  want_ = Want::value;
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
    for (Index i = 0; i < chain.kept; ++i)
      chain.result.warmup_positions.emplace_back(chain.result.positions.row(i).transpose());
    chain.kept = 0;
    chain.result.warmup += chain.result.kept;
    chain.result.kept = {};
  }
  next_goal_check_ = first_goal_check;
}

void TransitionLoop::choose_kernel() {
  const Matrix archive = explorer_.survey().cloud.positions.leftCols(explorer_.survey().bulk);
  inner_ = choose_inner(explorer_.landscape(), parameters_, archive, settings_.seed);
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

void TransitionLoop::learn_again(Keep keep) {
  if (keep == Keep::yes) {
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
  learn_again(Keep::no);
  double acceptance = 0;
  for (int trial = 0; trial < most_trials; ++trial) {
    acceptance = 0;
    for (Index i = 0; i < trial_rounds; ++i) acceptance += round(Keep::no) / trial_rounds;
    learn_again(Keep::no);
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
      if (meets(draws(kept), *settings_.budget.goal)) throw Stopped{Ending::goal_reached};
    }
    if (kept == next_epoch && settings_.learning != Learning::freeze) {
      learn_again(Keep::yes);
      next_epoch += std::min(next_epoch, longest_epoch);
    }
    round(Keep::yes);
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
double TransitionLoop::round(Keep keep) {
  std::vector<Errand> errands;
  for (Chain& chain : chains_)
    if (auto errand = set_out(chain, keep)) errands.push_back(std::move(*errand));
  std::vector<Vector> positions;
  for (const Errand& errand : errands)
    positions.push_back(std::visit([](const auto& step) { return step.position; }, errand.step));
  const std::vector<Lesson> paid = positions.empty() ? std::vector<Lesson>() : pay(positions);
  unlearned_.insert(unlearned_.end(), paid.begin(), paid.end());
  double sum = 0;
  double excursions = 0;
  for (std::size_t i = 0; i < errands.size(); ++i) {
    Chain& chain = errands[i].chain;
    Transition transition = come_back(errands[i], paid[i]);
    chain.state = std::move(transition.state);
    record(chain, transition.info, keep);
    purse_.note(i, {transition.info.verdict, iterations()});
    if (!std::holds_alternative<Excursion>(errands[i].step)) continue;
    sum += std::exp(transition.info.log_alpha_2.value_or(-infinity));
    excursions += 1;
    last_accepted_.push_back(transition.info.verdict == Verdict::accepted);
  }
  if (on_round_) report();
  return excursions > 0 ? sum / excursions : 1;
}

// Free. A step that ends without anything to pay for is recorded at once.
std::optional<Errand> TransitionLoop::set_out(Chain& chain, Keep keep) {
  Rng rng({settings_.seed, chain.id, static_cast<std::uint64_t>(chain.rounds++), Purpose::inner});
  const bool mixed = settings_.method == Method::automatic && rng.uniform() < two_stage_share;
  if (!mixed) {
    const SurrogateDensity surrogate = density_of(explorer_.landscape(), parameters_);
    Excursion away = excursion(chain.state.position, inner_.kernel, inner_.steps, surrogate, rng);
    if (away.accepted > 0) return Errand{chain, std::move(away), {}};
    record(chain, {Verdict::screened_out, 0, std::nullopt}, keep);
    return std::nullopt;
  }
  const Index d = parameters_.dimension();
  constexpr double sizes[] = {0.3, 1, 2};
  const double size = sizes[rng.below(3)] * 2.38 / std::sqrt(static_cast<double>(d));
  RandomWalk walk{Vector::Constant(d, size), explorer_.landscape().frame().factor};
  auto screened = screen(
      chain.state, walk, mixed_screen, [this](const Vector& x, const Vector& y) { return beliefs(x, y); },
      [this](const Vector& x) {
        return PriorAt{parameters_.log_prior(x), {}};
      },
      rng);
  if (auto* survivor = std::get_if<Survivor>(&screened))
    return Errand{chain, std::move(*survivor), std::move(walk)};
  record(chain, std::get<StepInfo>(screened), keep);
  return std::nullopt;
}

Transition TransitionLoop::come_back(const Errand& errand, const Lesson& paid) const {
  const Exact exact{paid.log_likelihood, std::nullopt};
  if (const auto* away = std::get_if<Excursion>(&errand.step))
    return settle(errand.chain.state, *away, PriorAt{paid.log_prior, {}}, exact);
  return settle(errand.chain.state, std::get<Survivor>(errand.step), exact, errand.walk, mixed_screen);
}

PairBelief TransitionLoop::beliefs(const Vector& x, const Vector& y) const {
  Matrix ends(x.size(), 2);
  ends << x, y;
  TrendProcess::Joint joint = explorer_.landscape().joint(ends);
  return {std::move(joint.means), Vector::Zero(2), std::move(joint.covariance), 0};
}

void TransitionLoop::record(Chain& chain, const StepInfo& info, Keep keep) {
  StageCounts& counts = keep == Keep::yes ? chain.result.kept : chain.result.warmup;
  ++counts.iterations;
  ++(info.evaluated() ? counts.evaluated : counts.screened_out);
  if (info.verdict == Verdict::accepted) ++counts.accepted;
  if (keep == Keep::no) {
    chain.result.warmup_positions.push_back(chain.state.position);
    return;
  }
  const Index draw = chain.kept++;
  chain.result.positions.row(draw) = chain.state.position.transpose();
  chain.result.log_posterior[draw] = chain.state.exact.log_likelihood + chain.state.prior.log_density;
  chain.result.accepted[static_cast<std::size_t>(draw)] = info.verdict == Verdict::accepted;
  chain.result.evaluated[static_cast<std::size_t>(draw)] = info.evaluated();
  chain.result.stage1_probability[draw] = std::exp(info.log_alpha_1);
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
  return result;
}

RunResult TransitionLoop::audited() {
  const auto d = static_cast<std::int64_t>(parameters_.dimension());
  AuditedDraws outcome =
      draw_audited(explorer_, settings_, starts_.size(), most_learning() + 100 + 20 * d,
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
          std::move(outcome.certificate)};
}

Index TransitionLoop::kept_by_all() const {
  Index kept = chains_.empty() ? 0 : settings_.draws;
  for (const Chain& chain : chains_) kept = std::min(kept, chain.kept);
  return kept;
}

Index TransitionLoop::iterations() const {
  Index all = 0;
  for (const Chain& chain : chains_) all += chain.result.warmup.iterations + chain.result.kept.iterations;
  return all;
}

Draws TransitionLoop::draws(Index length) const {
  std::vector<const Matrix*> positions;
  for (const Chain& chain : chains_) positions.push_back(&chain.result.positions);
  return draws_of(parameters_, positions, length);
}

void TransitionLoop::report() {
  const auto chains = static_cast<Index>(starts_.size());
  Progress progress{0, chains * settings_.draws, purse_.paid(), {}, kept_by_all(), {}, {}};
  for (const Chain& chain : chains_) {
    progress.iterations_done += chain.kept;
    ChainProgress& one = progress.chains.emplace_back(ChainProgress{chain.kept, {}});
    (one.counts += chain.result.warmup) += chain.result.kept;
    one.kept = chain.result.kept;
    progress.counts += one.counts;
  }
  progress.draws = [this, length = progress.kept] { return draws(length); };
  on_round_(progress);
}

RunResult TransitionLoop::finish(Ending ending) {
  const Index length = kept_by_all();
  Draws kept = draws(length);
  std::vector<ChainResult> results;
  for (Chain& chain : chains_) {
    cut(chain.result, length);
    results.push_back(std::move(chain.result));
  }
  return {
      std::move(kept),     std::move(results), purse_.paid(), ending, Emulator(parameters_.dimension(), {}),
      std::move(remarks_), std::nullopt};
}

}  // namespace

RunResult run_transitions(const Parameters& parameters, Purse& purse, const RunSettings& settings,
                          const OnRound& on_round, const std::vector<Vector>& starts) {
  return TransitionLoop(parameters, purse, settings, on_round, starts)();
}

}  // namespace hunch
