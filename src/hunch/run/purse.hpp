// Purse: where every evaluation of a run is paid from, and what says that no more may be.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hunch/evaluation/evaluator.hpp"
#include "hunch/run/paid.hpp"
#include "hunch/run/run.hpp"
#include "hunch/surrogate/lesson.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

class Purse {
 public:
  Purse(const Parameters& parameters, Evaluator& evaluator, const RunSettings& settings,
        const MayPay& may_pay);

  // Why these may not be paid for; nothing if they may. Never looks at a draw.
  std::optional<Ending> refusal(const std::vector<Vector>& positions, Want want) const;

  // One lesson for each position, in order; gradients are with respect to the position. A failure is a
  // likelihood of zero if the settings say `reject`, and otherwise ModelFailure.
  // `predicted` is what the surrogate says of each beforehand, as far as it says anything: for the books
  // alone.
  std::vector<Lesson> pay_for(const std::vector<Vector>& positions, Want want,
                              const std::vector<std::optional<Prediction>>& predicted = {});

  // What became of the step that one of the positions last paid for was part of: for the books alone.
  void note(std::size_t which, const SettledStep& step) { ledger_[last_payment_ + which].step = step; }
  const std::vector<Paid>& ledger() const { return ledger_; }
  std::vector<Paid> take_ledger() { return std::move(ledger_); }

  // Points paid for, those the store answered included.
  std::int64_t paid() const { return evaluator_.evaluations() + evaluator_.reused() - before_; }

 private:
  std::vector<Vector> thetas(const std::vector<Vector>& positions) const;

  const Parameters& parameters_;
  Evaluator& evaluator_;
  const RunSettings& settings_;
  const MayPay& may_pay_;
  const std::chrono::steady_clock::time_point begun_;
  const std::int64_t before_;
  std::vector<Paid> ledger_;
  std::size_t last_payment_ = 0;  // where it begins in the ledger
};

}  // namespace hunch
