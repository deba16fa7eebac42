// Purse: where every evaluation of a run is paid from, and what says that no more may be.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "hunch/evaluation/evaluator.hpp"
#include "hunch/run/run.hpp"
#include "hunch/surrogate/lesson.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

class Purse {
 public:
  Purse(const Parameters& parameters, Evaluator& evaluator, const RunSettings& settings,
        const MayPay& may_pay);

  // Why these may not be paid for; nothing if they may. Never looks at a draw.
  std::optional<Ending> refusal(const std::vector<Vector>& positions) const;

  // One lesson for each position, in order; gradients are with respect to the position. A failure is a
  // likelihood of zero if the settings say `reject`, and otherwise ModelFailure.
  std::vector<Lesson> pay_for(const std::vector<Vector>& positions, Want want);

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
};

}  // namespace hunch
