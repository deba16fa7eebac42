#include "hunch/study/paper_table.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "hunch/diagnostics/convergence.hpp"
#include "hunch/evaluation/parallel.hpp"
#include "hunch/problems/problem.hpp"

namespace hunch {

namespace {

// Table 1 of the paper: AR, ESS, ESJD, Eval%, SD. It has no MALA for T4.
const std::map<std::pair<std::string, std::string>, PaperValues> paper_values = {
    {{"T1", "MH"}, {.37, 90, .13, 100, .02}},      {{"T1", "GP-MH"}, {.36, 113, .13, 41, .02}},
    {{"T1", "MALA"}, {.26, 73, .2, 100, .03}},     {{"T1", "GP-MALA"}, {.26, 75, .2, 35, .02}},
    {{"T2", "MH"}, {.28, 138, 32.6, 100, 339}},    {{"T2", "GP-MH"}, {.27, 133, 31, 39, 339}},
    {{"T2", "MALA"}, {.26, 220, 51, 100, 316}},    {{"T2", "GP-MALA"}, {.21, 147, 29, 43, 255}},
    {{"T3", "MH"}, {.42, 137, .44, 100, 4.1}},     {{"T3", "GP-MH"}, {.42, 135, .38, 42, 3.5}},
    {{"T3", "MALA"}, {.44, 133, .48, 100, 4.1}},   {{"T3", "GP-MALA"}, {.43, 134, .45, 45, 3.5}},
    {{"T4", "MH"}, {.1, 51, .003, 100, .009}},     {{"T4", "GP-MH"}, {.1, 45, .003, 15, .009}},
    {{"T5", "MH"}, {.29, 98, .002, 100, .006}},    {{"T5", "GP-MH"}, {.29, 102, .002, 35, .006}},
    {{"T5", "MALA"}, {.67, 339, .009, 100, .006}}, {{"T5", "GP-MALA"}, {.67, 368, .009, 68, .006}}};

constexpr Method methods[] = {Method::mh, Method::gp_mh, Method::mala, Method::gp_mala};

std::string name_of(Method method) {
  switch (method) {
    case Method::mh:
      return "MH";
    case Method::gp_mh:
      return "GP-MH";
    case Method::mala:
      return "MALA";
    default:
      return "GP-MALA";
  }
}

std::optional<PaperValues> paper_row(const std::string& target, const std::string& method) {
  const auto found = paper_values.find({target, method});
  return found == paper_values.end() ? std::nullopt : std::optional(found->second);
}

// What a proposal is tuned to: the acceptance rate of the paper's plain method; MALA's usual one where it has
// none.
double acceptance_to_tune(const std::string& target, Method method) {
  const auto row = paper_row(target, uses_gradient(method) ? "MALA" : "MH");
  return row ? row->ar : 0.574;
}

struct Outcomes {
  double ar, ess, esjd, esjd_sum, eval_percent, sd, sd_sum, warmup_evaluations;
};

Outcomes outcomes_of(const RunResult& result, const Vector& truth) {
  const Matrix draws = result.draws.chain(0);
  const Vector jumps = esjd(draws);
  const Vector miss = (draws.colwise().mean().transpose() - truth).cwiseAbs2();
  double ess = 0;
  for (Index p = 0; p < truth.size(); ++p) ess += ess_mean(draws.col(p)).value_or(0);
  const ChainResult& chain = result.chains.front();
  return {chain.kept.acceptance_rate(),
          ess / static_cast<double>(truth.size()),
          jumps.mean(),
          jumps.sum(),
          chain.kept.evaluation_percent(),
          miss.mean(),
          miss.sum(),
          static_cast<double>(chain.warmup.evaluated)};
}

// One data set: its problem, where the chains start, and the tuned proposals. Made by pilots that are not
// counted.
struct Arena {
  Problem problem;
  Vector start;
  Proposal walk;
  Proposal langevin;
};

RunResult run_once(const Problem& problem, const Vector& start, const Proposal& proposal,
                   const RunSettings& settings) {
  FunctionModel model(problem.evaluate, {.gradient = true});
  Evaluator evaluator(model, 1);
  return run(problem.parameters, evaluator, {start}, proposal, settings);
}

Vector spread_of(const Matrix& positions) {
  const Vector mean = positions.colwise().mean();
  const Vector variance = (positions.rowwise() - mean.transpose()).cwiseAbs2().colwise().sum() /
                          static_cast<double>(positions.rows() - 1);
  return variance.cwiseSqrt().cwiseMax(1e-8);
}

// The pilots adapt the scale to the wanted acceptance; T3's evaluations are dear, so its pilots are shorter.
Arena prepare(const std::string& target, std::uint32_t simulation, const TableOptions& options) {
  Problem problem =
      make_problem(target, {.seed = options.seed, .simulation = simulation, .t3_points = options.t3_points});
  const Index d = problem.parameters.dimension();
  const Vector truth = problem.parameters.position(problem.truth);
  RunSettings pilot{.method = Method::mh,
                    .warmup = target == "T3" ? 800 : 4000,
                    .draws = target == "T3" ? 400 : 4000,
                    .seed = options.seed + simulation,
                    .target_acceptance = acceptance_to_tune(target, Method::mh)};
  const RunResult walked = run_once(problem, truth, RandomWalk{Vector::Constant(d, 0.1)}, pilot);
  const Vector spread = spread_of(walked.chains[0].positions);
  const Vector typical = walked.chains[0].positions.bottomRows(1).transpose();

  pilot.method = Method::mala;
  pilot.warmup = target == "T3" ? 500 : 3000;
  pilot.draws = 1;
  pilot.target_acceptance = acceptance_to_tune(target, Method::mala);
  const RunResult drifted = run_once(problem, typical, Langevin{0.5, spread.cwiseAbs2()}, pilot);

  Rng rng({options.seed, simulation, 0, Purpose::start});
  Vector start;
  if (target == "T1") {
    start = Vector{{-2 + 4 * rng.uniform(), -2 + 4 * rng.uniform()}};
  } else {
    const Vector direction = rng.normal(d).normalized();
    start = truth + 1.5 * spread.cwiseProduct(direction);
  }
  return {std::move(problem), std::move(start), walked.chains[0].proposal, drifted.chains[0].proposal};
}

std::vector<Outcomes> simulate(const std::string& target, std::uint32_t simulation,
                               const TableOptions& options) {
  const Arena arena = prepare(target, simulation, options);
  std::vector<Outcomes> outcomes;
  for (Method method : methods) {
    RunSettings settings = options.gp;
    settings.method = method;
    settings.warmup = options.warmup;
    settings.draws = options.draws;
    settings.seed = options.seed + simulation;
    // Plain MALA sticks for good where the gradient is steep, as at T1's far starts: there its step
    // may shrink in the first half of burn-in.
    settings.tuning = uses_gradient(method) && target == "T1" ? Tuning::eased : Tuning::fixed;
    settings.target_acceptance = acceptance_to_tune(target, method);
    const Proposal& proposal = uses_gradient(method) ? arena.langevin : arena.walk;
    outcomes.push_back(
        outcomes_of(run_once(arena.problem, arena.start, proposal, settings), arena.problem.truth));
  }
  return outcomes;
}

template <typename Value>
Measure measure(const std::vector<std::vector<Outcomes>>& simulations, const Value& value) {
  const double n = static_cast<double>(simulations.size());
  double sum = 0, squares = 0;
  for (const auto& one : simulations) sum += value(one);
  for (const auto& one : simulations) squares += std::pow(value(one) - sum / n, 2);
  const double mcse = n > 1 ? std::sqrt(squares / (n - 1) / n) : std::numeric_limits<double>::quiet_NaN();
  return {sum / n, mcse};
}

TableRow summarise_method(const std::string& target, std::size_t m,
                          const std::vector<std::vector<Outcomes>>& simulations) {
  const auto of = [&](double Outcomes::*field) {
    return measure(simulations, [&](const auto& one) { return one[m].*field; });
  };
  const auto against_plain = [&](double Outcomes::*field) -> std::optional<Measure> {
    if (!uses_surrogate(methods[m])) return std::nullopt;
    return measure(simulations, [&](const auto& one) { return one[m].*field - one[m - 1].*field; });
  };
  const std::string method = name_of(methods[m]);
  return {target,
          method,
          of(&Outcomes::ar),
          of(&Outcomes::ess),
          of(&Outcomes::esjd),
          of(&Outcomes::esjd_sum),
          of(&Outcomes::eval_percent),
          of(&Outcomes::sd),
          of(&Outcomes::sd_sum),
          of(&Outcomes::warmup_evaluations),
          against_plain(&Outcomes::ar),
          against_plain(&Outcomes::ess),
          paper_row(target, method)};
}

void validate(const TableOptions& options) {
  if (options.simulations < 1)
    throw InputError("simulations: got " + std::to_string(options.simulations) + ", expected 1 or more");
  if (options.workers < 1)
    throw InputError("workers: got " + std::to_string(options.workers) + ", expected 1 or more");
  if (options.targets.empty()) throw InputError("targets: none given, expected some of T1, T2, T3, T4, T5");
  for (const std::string& target : options.targets) make_problem(target, {.t3_points = 10});
}

}  // namespace

std::vector<TableRow> paper_table(const TableOptions& options,
                                  const std::function<void(const TableProgress&)>& on_progress) {
  validate(options);
  const Index simulations = options.simulations;
  const Index total = simulations * static_cast<Index>(options.targets.size());
  std::vector<std::vector<std::vector<Outcomes>>> results(
      options.targets.size(), std::vector<std::vector<Outcomes>>(static_cast<std::size_t>(simulations)));
  Index done = 0;
  std::mutex mutex;
  for_each_index(total, options.workers, [&](Index i) {
    const std::string& target = options.targets[i / simulations];
    results[i / simulations][i % simulations] =
        simulate(target, static_cast<std::uint32_t>(i % simulations), options);
    const std::lock_guard lock(mutex);
    ++done;
    if (on_progress) on_progress({target, done, total});
  });

  std::vector<TableRow> rows;
  for (std::size_t t = 0; t < options.targets.size(); ++t)
    for (std::size_t m = 0; m < std::size(methods); ++m)
      rows.push_back(summarise_method(options.targets[t], m, results[t]));
  return rows;
}

}  // namespace hunch
