#include "hunch/run/run.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "hunch/core/numeric.hpp"

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
       const std::function<void(const Progress&)>& on_round)
      : parameters_(parameters),
        evaluator_(evaluator),
        settings_(settings),
        on_round_(on_round),
        want_(uses_gradient(settings.method) ? Want::value_and_gradient : Want::value),
        emulator_(
            parameters.dimension(),
            {.observes = uses_gradient(settings.method) ? Observes::values_and_gradients : Observes::values,
             .family = settings.covariance}) {}

  RunResult operator()(const std::vector<Vector>& starts, const Proposal& proposal) {
    begin(starts, proposal);
    sample(Phase::warmup);
    sample(Phase::kept);
    return finish();
  }

 private:
  void begin(const std::vector<Vector>& starts, const Proposal& proposal);
  void sample(Phase phase);
  std::optional<Survivor> screen_until_survivor(Chain& chain, Phase phase);
  void settle_and_learn(std::vector<Pending>& pending, Phase phase);
  void record(Chain& chain, const StepInfo& info, Phase phase);
  std::vector<Exact> pay_for(const std::vector<Vector>& positions);
  RunResult finish();

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
  Evaluator& evaluator_;
  const RunSettings& settings_;
  const std::function<void(const Progress&)>& on_round_;
  const Want want_;
  Emulator emulator_;
  std::vector<Chain> chains_;
};

// Money: every evaluation of a run passes here. Gradients come back with respect to the position.
std::vector<Exact> Loop::pay_for(const std::vector<Vector>& positions) {
  std::vector<Vector> thetas;
  for (const Vector& position : positions) thetas.push_back(parameters_.theta(position));
  std::vector<Outcome> outcomes = evaluator_(thetas, want_);
  std::vector<Exact> paid;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].answered()) {
      std::string where;
      for (Index j = 0; j < thetas[i].size(); ++j)
        where += (j ? ", " : "") + parameters_.list()[j].name + " = " + std::to_string(thetas[i][j]);
      throw ModelFailure("the model failed at " + where + ": " + outcomes[i].message);
    }
    Exact exact = std::move(outcomes[i].exact);
    if (exact.gradient) exact.gradient = parameters_.to_position_gradient(positions[i], *exact.gradient);
    paid.push_back(std::move(exact));
  }
  return paid;
}

// Evaluates the chains' starts, and near them as many points as the surrogate is to begin with.
void Loop::begin(const std::vector<Vector>& starts, const Proposal& proposal) {
  std::vector<Vector> points = starts;
  const auto* walk = std::get_if<RandomWalk>(&proposal);
  const auto* langevin = std::get_if<Langevin>(&proposal);
  const Vector spread = walk ? walk->scales : Vector((langevin->delta * langevin->lambda).cwiseSqrt());
  const Index wanted = uses_surrogate(settings_.method) ? settings_.initial_evaluations : 0;
  for (Index i = 0; static_cast<Index>(points.size()) < wanted; ++i) {
    Rng rng({settings_.seed, 0, static_cast<std::uint64_t>(i), Purpose::initial_points});
    points.push_back(starts[i % starts.size()] + spread.cwiseProduct(rng.normal(parameters_.dimension())));
  }
  const std::vector<Exact> paid = pay_for(points);

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
    chains_.push_back({static_cast<std::uint32_t>(i),
                       State{starts[i], prior, paid[i]},
                       Adaptation(proposal, adaptation),
                       0,
                       {Matrix(settings_.draws, parameters_.dimension()), {}, {}, proposal}});
  }
}

// Rounds until every chain is at the phase's end.
void Loop::sample(Phase phase) {
  for (;;) {
    std::vector<Pending> pending;
    for (Chain& chain : chains_)
      if (auto survivor = screen_until_survivor(chain, phase))
        pending.push_back({chain, std::move(*survivor)});
    if (pending.empty()) return;
    settle_and_learn(pending, phase);
    if (on_round_) {
      Index done = 0;
      for (const Chain& chain : chains_) done += chain.iteration;
      on_round_({done, static_cast<Index>(chains_.size()) * end_of(Phase::kept), evaluator_.evaluations()});
    }
  }
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

// Stage 2, paid: all survivors of the round at once; then everyone learns, in the chains' order.
void Loop::settle_and_learn(std::vector<Pending>& pending, Phase phase) {
  std::vector<Vector> positions;
  for (const Pending& one : pending) positions.push_back(one.survivor.position);
  const std::vector<Exact> paid = pay_for(positions);

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
    chain.result.positions.row(chain.iteration - settings_.warmup) = chain.state.position.transpose();
  } else if (settings_.tuning == Tuning::adapt || (settings_.tuning == Tuning::eased && easing)) {
    chain.adaptation.observe(chain.state.position, info);
    chain.result.proposal = chain.adaptation.proposal();
  } else {
    chain.result.proposal = chain.adaptation.initial();
  }
  ++chain.iteration;
}

RunResult Loop::finish() {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_.list()) names.push_back(parameter.name);
  std::vector<Matrix> thetas;
  std::vector<ChainResult> results;
  for (Chain& chain : chains_) {
    Matrix theta(settings_.draws, parameters_.dimension());
    for (Index i = 0; i < settings_.draws; ++i)
      theta.row(i) = parameters_.theta(chain.result.positions.row(i).transpose()).transpose();
    thetas.push_back(std::move(theta));
    results.push_back(std::move(chain.result));
  }
  return {Draws(std::move(names), std::move(thetas)), std::move(results), evaluator_.evaluations(),
          std::move(emulator_)};
}

[[noreturn]] void refuse(const std::string& setting, const std::string& given, const std::string& expected) {
  throw InputError(setting + ": got " + given + ", expected " + expected);
}

}  // namespace

void validate(const RunSettings& settings) {
  if (settings.warmup < 0) refuse("warmup", std::to_string(settings.warmup), "0 or more");
  if (settings.draws < 1) refuse("draws", std::to_string(settings.draws), "1 or more");
  if (settings.initial_evaluations < 1)
    refuse("initial_evaluations", std::to_string(settings.initial_evaluations), "1 or more");
  if (!(settings.screen_floor >= 0 && settings.screen_floor < 1))
    refuse("screen_floor", std::to_string(settings.screen_floor), "0 or more, below 1");
  if (settings.target_acceptance && !(*settings.target_acceptance > 0 && *settings.target_acceptance < 1))
    refuse("target_acceptance", std::to_string(*settings.target_acceptance), "a number between 0 and 1");
}

RunResult run(const Parameters& parameters, Evaluator& evaluator, const std::vector<Vector>& starts,
              const Proposal& proposal, const RunSettings& settings,
              const std::function<void(const Progress&)>& on_round) {
  validate(settings);
  if (starts.empty()) refuse("starts", "none", "one position for each chain");
  if (uses_gradient(proposal) != uses_gradient(settings.method))
    throw InputError(
        "the proposal does not suit the method: mh and gp-mh take a random walk, mala and gp-mala a Langevin "
        "step");
  return Loop(parameters, evaluator, settings, on_round)(starts, proposal);
}

}  // namespace hunch
