#include "hunch/run/purse.hpp"

#include <string>
#include <utility>

#include "hunch/core/numeric.hpp"

namespace hunch {

Purse::Purse(const Parameters& parameters, Evaluator& evaluator, const RunSettings& settings,
             const MayPay& may_pay)
    : parameters_(parameters),
      evaluator_(evaluator),
      settings_(settings),
      may_pay_(may_pay),
      begun_(std::chrono::steady_clock::now()),
      before_(evaluator.evaluations() + evaluator.reused()) {}

std::optional<Ending> Purse::refusal(const std::vector<Vector>& positions, Want want) const {
  const Budget& budget = settings_.budget;
  if (budget.evaluations && paid() + static_cast<std::int64_t>(positions.size()) > *budget.evaluations)
    return Ending::evaluations_spent;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun_;
  if (budget.seconds && taken.count() > *budget.seconds) return Ending::time_spent;
  if (may_pay_ && !may_pay_(thetas(positions), want)) return Ending::interrupted;
  return std::nullopt;
}

std::vector<Lesson> Purse::pay_for(const std::vector<Vector>& positions, Want want,
                                   const std::vector<std::optional<Prediction>>& predicted) {
  const std::vector<Vector> asked = thetas(positions);
  std::vector<Outcome> outcomes = evaluator_(asked, want);
  std::vector<Lesson> paid;
  last_payment_ = ledger_.size();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const double log_prior = parameters_.log_prior(positions[i]);
    const double log_likelihood = outcomes[i].answered() ? outcomes[i].exact.log_likelihood : std::nan("");
    ledger_.push_back({asked[i], log_likelihood, i < predicted.size() ? predicted[i] : std::nullopt});
    if (!outcomes[i].answered() && settings_.on_failure == OnFailure::reject) {
      paid.push_back({positions[i], -infinity, std::nullopt, log_prior});
      continue;
    }
    if (!outcomes[i].answered()) {
      std::string where;
      for (Index j = 0; j < asked[i].size(); ++j)
        where += (j ? ", " : "") + parameters_.list()[static_cast<std::size_t>(j)].name + " = " +
                 std::to_string(asked[i][j]);
      throw ModelFailure("the model failed at " + where + ": " + outcomes[i].message);
    }
    Exact exact = std::move(outcomes[i].exact);
    if (exact.gradient) exact.gradient = parameters_.to_position_gradient(positions[i], *exact.gradient);
    paid.push_back({positions[i], exact.log_likelihood, std::move(exact.gradient), log_prior});
  }
  return paid;
}

std::vector<Vector> Purse::thetas(const std::vector<Vector>& positions) const {
  std::vector<Vector> mapped;
  for (const Vector& position : positions) mapped.push_back(parameters_.theta(position));
  return mapped;
}

}  // namespace hunch
