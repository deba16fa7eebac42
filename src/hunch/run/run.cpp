#include "hunch/run/run.hpp"

#include "hunch/run/chain_loop.hpp"
#include "hunch/run/purse.hpp"
#include "hunch/run/transition_loop.hpp"

namespace hunch {

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
  return result;
}

}  // namespace hunch
