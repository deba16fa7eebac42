#include "hunch/run/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/convergence.hpp"

namespace hunch {

namespace {

enum class Phase { warmup, kept };

struct Chain {
  std::uint32_t id;
  State state;
  Adaptation adaptation;
  Index iteration = 0;
  ChainResult result;
};

struct Pending {
  Chain& chain;
  Survivor survivor;
};

double default_target_acceptance(const RunSettings& settings, Index dimension) {
  if (settings.target_acceptance) return *settings.target_acceptance;
  if (uses_gradient(settings.method)) return 0.574;
  return dimension == 1 ? 0.44 : dimension < 5 ? 0.3 : 0.234;
}

class Loop {
 public:
  Loop(const Parameters& parameters, Evaluator& evaluator, const RunSettings& settings,
       const std::function<void(const Progress&)>& on_round, const MayPay& may_pay)
      : parameters_(parameters),
        evaluator_(evaluator),
        settings_(settings),
        on_round_(on_round),
        may_pay_(may_pay),
        begun_(std::chrono::steady_clock::now()),
        want_(uses_gradient(settings.method) ? Want::value_and_gradient : Want::value),
        emulator_(
            parameters.dimension(),
            {.observes = uses_gradient(settings.method) ? Observes::values_and_gradients : Observes::values,
             .family = settings.covariance}) {}

  RunResult operator()(const std::vector<Vector>& starts, const Proposal& proposal) {
    const std::vector<Vector> first = first_points(starts, proposal);
    if (const auto reason = reason_to_stop(first)) return finish(*reason);
    begin(starts, first, pay_for(first), proposal);
    return finish(sample_all());
  }

 private:
  std::vector<Vector> first_points(const std::vector<Vector>& starts, const Proposal& proposal) const;
  void begin(const std::vector<Vector>& starts, const std::vector<Vector>& points,
             const std::vector<Exact>& paid, const Proposal& proposal);
  Ending sample_all();
  std::optional<Ending> sample(Phase phase);
  std::optional<Ending> reason_to_stop(const std::vector<Vector>& about_to_pay);
  bool goal_reached();
  std::optional<Survivor> screen_until_survivor(Chain& chain, Phase phase);
  void settle_and_learn(std::vector<Pending>& pending, const std::vector<Exact>& paid, Phase phase);
  void record(Chain& chain, const StepInfo& info, Phase phase);
  std::vector<Exact> pay_for(const std::vector<Vector>& positions);
  RunResult finish(Ending ending);
  Index kept_by_all() const;
  Draws draws(Index length) const;
  void report() const;
  std::int64_t paid() const { return evaluator_.evaluations() + evaluator_.reused() - before_; }

  ChainResult empty_result(const Proposal& proposal) const {
    const auto n = static_cast<std::size_t>(settings_.draws);
    return {Matrix(settings_.draws, parameters_.dimension()),
            Vector(settings_.draws),
            std::vector<bool>(n),
            std::vector<bool>(n),
            Vector(settings_.draws),
            {},
            {},
            proposal};
  }
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
  std::vector<Vector> thetas(const std::vector<Vector>& positions) const {
    std::vector<Vector> mapped;
    for (const Vector& position : positions) mapped.push_back(parameters_.theta(position));
    return mapped;
  }
  void learn(const std::vector<Lesson>& lessons, Refit refit) {
    if (uses_surrogate(settings_.method)) emulator_.learn(lessons, refit);
  }

  const Parameters& parameters_;
  Evaluator& evaluator_;
  const RunSettings& settings_;
  const std::function<void(const Progress&)>& on_round_;
  const MayPay& may_pay_;
  const std::chrono::steady_clock::time_point begun_;
  const std::int64_t before_ = evaluator_.evaluations() + evaluator_.reused();
  Index next_goal_check_ = 100;
  const Want want_;
  Emulator emulator_;
  std::vector<Chain> chains_;
};

// Money: every evaluation of a run passes here. Gradients come back with respect to the position.
std::vector<Exact> Loop::pay_for(const std::vector<Vector>& positions) {
  const std::vector<Vector> asked = thetas(positions);
  std::vector<Outcome> outcomes = evaluator_(asked, want_);
  std::vector<Exact> paid;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].answered() && settings_.on_failure == OnFailure::reject) {
      paid.push_back({-infinity, std::nullopt});
      continue;
    }
    if (!outcomes[i].answered()) {
      std::string where;
      for (Index j = 0; j < asked[i].size(); ++j)
        where += (j ? ", " : "") + parameters_.list()[j].name + " = " + std::to_string(asked[i][j]);
      throw ModelFailure("the model failed at " + where + ": " + outcomes[i].message);
    }
    Exact exact = std::move(outcomes[i].exact);
    if (exact.gradient) exact.gradient = parameters_.to_position_gradient(positions[i], *exact.gradient);
    paid.push_back(std::move(exact));
  }
  return paid;
}

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

void Loop::begin(const std::vector<Vector>& starts, const std::vector<Vector>& points,
                 const std::vector<Exact>& paid, const Proposal& proposal) {
  std::vector<Lesson> lessons;
  for (std::size_t i = 0; i < points.size(); ++i)
    lessons.push_back(
        {points[i], paid[i].log_likelihood, paid[i].gradient, parameters_.log_prior(points[i])});
  learn(lessons, Refit::allowed);

  AdaptationOptions adaptation{.target_acceptance =
                                   default_target_acceptance(settings_, parameters_.dimension())};
  if (settings_.tuning == Tuning::eased) adaptation.reshape = Reshape::never;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const PriorAt prior = prior_at(starts[i]);
    if (!(paid[i].log_likelihood + prior.log_density > -infinity))
      throw InputError("chain " + std::to_string(i + 1) +
                       " starts where the posterior density is zero; choose a start inside the support");
    chains_.push_back({static_cast<std::uint32_t>(i), State{starts[i], prior, paid[i]},
                       Adaptation(proposal, adaptation), 0, empty_result(proposal)});
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
    for (const Pending& one : pending) positions.push_back(one.survivor.position);
    if (const auto reason = reason_to_stop(positions)) return reason;
    settle_and_learn(pending, pay_for(positions), phase);
    if (on_round_) report();
  }
}

// Asked before each payment. Only `goal` looks at draws, and it does so at fixed lengths: what is drawn
// depends neither on the clock nor on who asks.
std::optional<Ending> Loop::reason_to_stop(const std::vector<Vector>& about_to_pay) {
  const Budget& budget = settings_.budget;
  if (goal_reached()) return Ending::goal_reached;
  if (budget.evaluations && paid() + static_cast<std::int64_t>(about_to_pay.size()) > *budget.evaluations)
    return Ending::evaluations_spent;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun_;
  if (budget.seconds && taken.count() > *budget.seconds) return Ending::time_spent;
  if (may_pay_ && !may_pay_(thetas(about_to_pay))) return Ending::interrupted;
  return std::nullopt;
}

bool Loop::goal_reached() {
  if (!settings_.budget.goal || kept_by_all() < next_goal_check_) return false;
  const Index length = next_goal_check_;
  next_goal_check_ += std::max<Index>(50, length / 10);
  const Draws so_far = draws(length);
  for (Index p = 0; p < so_far.parameters(); ++p) {
    const Matrix values = so_far.parameter(p);
    const double ess = std::fmin(ess_bulk(values).value_or(0), ess_tail(values).value_or(0));
    if (ess < settings_.budget.goal->ess || rhat(values).value_or(infinity) > settings_.budget.goal->rhat)
      return false;
  }
  return true;
}

void Loop::report() const {
  Progress progress{
      0, static_cast<Index>(chains_.size()) * end_of(Phase::kept), paid(), {}, kept_by_all(), {}, {}};
  for (const Chain& chain : chains_) {
    progress.iterations_done += chain.iteration;
    ChainProgress& one = progress.chains.emplace_back(ChainProgress{chain.iteration, {}});
    (one.counts += chain.result.warmup) += chain.result.kept;
    progress.counts += one.counts;
  }
  progress.draws = [this, length = progress.kept] { return draws(length); };
  on_round_(progress);
}

// Stage 1, free: the chain goes on until a proposal survives or its phase ends.
std::optional<Survivor> Loop::screen_until_survivor(Chain& chain, Phase phase) {
  const auto beliefs = [this](const Vector& x, const Vector& y) { return emulator_.pair(x, y); };
  const auto prior = [this](const Vector& position) { return prior_at(position); };
  while (chain.iteration < end_of(phase)) {
    Rng rng({settings_.seed, chain.id, static_cast<std::uint64_t>(chain.iteration), Purpose::step});
    auto screened = screen(chain.state, chain.result.proposal, screening(phase), beliefs, prior, rng);
    if (auto* survivor = std::get_if<Survivor>(&screened)) return std::move(*survivor);
    record(chain, std::get<StepInfo>(screened), phase);
  }
  return std::nullopt;
}

// Stage 2, paid for: each survivor is settled; then everyone learns, in the chains' order.
void Loop::settle_and_learn(std::vector<Pending>& pending, const std::vector<Exact>& paid, Phase phase) {
  std::vector<Lesson> lessons;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    auto& [chain, survivor] = pending[i];
    auto [state, info] = settle(chain.state, survivor, paid[i], chain.result.proposal, screening(phase));
    chain.state = std::move(state);
    record(chain, info, phase);
    lessons.push_back(
        {survivor.position, paid[i].log_likelihood, paid[i].gradient, survivor.prior.log_density});
  }
  if (phase == Phase::warmup) learn(lessons, Refit::allowed);
  if (phase == Phase::kept && settings_.learning == Learning::proceed) learn(lessons, Refit::forbidden);
}

// One iteration of one chain is over.
void Loop::record(Chain& chain, const StepInfo& info, Phase phase) {
  StageCounts& counts = phase == Phase::warmup ? chain.result.warmup : chain.result.kept;
  ++counts.iterations;
  if (info.evaluated())
    ++counts.evaluated;
  else
    ++counts.screened_out;
  if (info.verdict == Verdict::accepted) ++counts.accepted;

  const bool easing = chain.iteration < settings_.warmup / 2;
  if (phase == Phase::kept) {
    const Index draw = chain.iteration - settings_.warmup;
    chain.result.positions.row(draw) = chain.state.position.transpose();
    chain.result.log_posterior[draw] = chain.state.exact.log_likelihood + chain.state.prior.log_density;
    chain.result.accepted[draw] = info.verdict == Verdict::accepted;
    chain.result.evaluated[draw] = info.evaluated();
    chain.result.stage1_probability[draw] = std::exp(info.log_alpha_1);
  } else if (settings_.tuning == Tuning::adapt || (settings_.tuning == Tuning::eased && easing)) {
    chain.adaptation.observe(chain.state.position, info);
    chain.result.proposal = chain.adaptation.proposal();
  } else {
    chain.result.proposal = chain.adaptation.initial();
  }
  ++chain.iteration;
}

Index Loop::kept_by_all() const {
  Index kept = chains_.empty() ? 0 : settings_.draws;
  for (const Chain& chain : chains_)
    kept = std::min(kept, std::max<Index>(0, chain.iteration - settings_.warmup));
  return kept;
}

Draws Loop::draws(Index length) const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_.list()) names.push_back(parameter.name);
  std::vector<Matrix> thetas;
  for (const Chain& chain : chains_) {
    Matrix theta(length, parameters_.dimension());
    for (Index i = 0; i < length; ++i)
      theta.row(i) = parameters_.theta(chain.result.positions.row(i).transpose()).transpose();
    thetas.push_back(std::move(theta));
  }
  return {std::move(names), std::move(thetas)};
}

RunResult Loop::finish(Ending ending) {
  const Index length = ending == Ending::complete ? settings_.draws : kept_by_all();
  Draws kept = draws(length);
  std::vector<ChainResult> results;
  for (Chain& chain : chains_) {
    ChainResult& result = chain.result;
    result.positions.conservativeResize(length, Eigen::NoChange);
    result.log_posterior.conservativeResize(length);
    result.stage1_probability.conservativeResize(length);
    result.accepted.resize(static_cast<std::size_t>(length));
    result.evaluated.resize(static_cast<std::size_t>(length));
    results.push_back(std::move(result));
  }
  return {std::move(kept), std::move(results), paid(), ending, std::move(emulator_)};
}

}  // namespace

StageCounts all_counts(const RunResult& result) {
  StageCounts all;
  for (const ChainResult& chain : result.chains) (all += chain.warmup) += chain.kept;
  return all;
}

RunResult run(const Parameters& parameters, Evaluator& evaluator, const std::vector<Vector>& starts,
              const Proposal& proposal, const RunSettings& settings,
              const std::function<void(const Progress&)>& on_round, const MayPay& may_pay) {
  validate(settings);
  if (starts.empty()) throw InputError("starts: got none, expected one position for each chain");
  if (uses_gradient(proposal) != uses_gradient(settings.method))
    throw InputError(
        "the proposal does not suit the method: mh and gp-mh take a random walk, mala and gp-mala a Langevin "
        "step");
  return Loop(parameters, evaluator, settings, on_round, may_pay)(starts, proposal);
}

}  // namespace hunch
