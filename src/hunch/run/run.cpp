#include "hunch/run/run.hpp"

#include <fmt/format.h>

#include <optional>

#include "hunch/diagnostics/tails.hpp"
#include "hunch/run/chain_loop.hpp"
#include "hunch/run/purse.hpp"
#include "hunch/run/transition_loop.hpp"

namespace hunch {

StageCounts all_counts(const RunResult& result) {
  StageCounts all;
  for (const ChainResult& chain : result.chains) (all += chain.warmup) += chain.kept;
  return all;
}

namespace {

// Fewer draws than this are not judged converged either.
constexpr Index least_draws = 400;

// A doubt, not a suspicion: the shape is too large by more than its standard error, so that a tail at the
// limit is named in one run of six, and a thin one never.
void doubt_heavy_tails(RunResult& result) {
  const Draws& draws = result.draws;
  if (draws.chains() == 0 || draws.chains() * draws.length(0) < least_draws) return;
  for (Index j = 0; j < draws.parameters(); ++j) {
    const Matrix x = draws.parameter(j);
    const std::optional<TailShape> tail = tail_shape(x);
    const double largest = largest_shape_for_sd(x.size());
    if (!tail || tail->shape - tail->error < largest) continue;
    const std::string& name = draws.names()[static_cast<std::size_t>(j)];
    result.doubts.push_back(
        fmt::format("the sd of {}: its tails are so heavy (Pareto shape {:.2f} +- {:.2f}, where {} draws can "
                    "do with {:.2f}) that "
                    "the next draws may change it; its median and quantiles are better known",
                    name, tail->shape, tail->error, x.size(), largest));
  }
}

}  // namespace

RunResult run(const Parameters& parameters, Evaluator& evaluator, const std::vector<Vector>& starts,
              const Proposal& proposal, const RunSettings& settings,
              const std::function<void(const Progress&)>& on_round, const MayPay& may_pay) {
  validate(settings);
  if (starts.empty()) throw InputError("starts: got none, expected one position for each chain");
  if (uses_gradient(proposal) != uses_gradient(settings.method))
    throw InputError(
        "the proposal does not suit the method: mala and gp-mala take a Langevin step, all others a random "
        "walk");
  Purse purse(parameters, evaluator, settings, may_pay);
  OnRound with_ledger;
  if (on_round)
    with_ledger = [&](const Progress& at) {
      Progress told = at;
      told.ledger = &purse.ledger();
      on_round(told);
    };
  RunResult result = explores(settings.method)
                         ? run_transitions(parameters, purse, settings, with_ledger, starts)
                         : run_chains(parameters, purse, settings, with_ledger, starts, proposal, {});
  result.ledger = purse.take_ledger();
  doubt_heavy_tails(result);
  return result;
}

}  // namespace hunch
