#include <cmath>

#include "run/watched.hpp"

namespace hunch {
namespace {

using watched::run_epidemic;

RunSettings short_run(Method method) {
  return {.method = method, .warmup = 100, .draws = 100, .seed = 3};
}

struct Tally {
  std::int64_t settled = 0, accepted = 0, predicted = 0;
};

Tally tally(const std::vector<Paid>& ledger) {
  Tally sum;
  for (const Paid& one : ledger) {
    sum.settled += one.step ? 1 : 0;
    sum.accepted += one.step && one.step->verdict == Verdict::accepted ? 1 : 0;
    sum.predicted += one.predicted ? 1 : 0;
  }
  return sum;
}

class Ledger : public testing::TestWithParam<Method> {};

TEST_P(Ledger, HasEveryPointThatWasPaidForAndWhatBecameOfIt) {
  const RunResult result = run_epidemic(short_run(GetParam())).result;
  const Tally sum = tally(result.ledger);
  const StageCounts counts = all_counts(result);
  EXPECT_EQ(static_cast<std::int64_t>(result.ledger.size()), result.evaluations);
  EXPECT_EQ(sum.settled, counts.evaluated);
  EXPECT_EQ(sum.accepted, counts.accepted);
  EXPECT_EQ(sum.predicted > 0, uses_surrogate(GetParam()));
  std::int64_t before = 0;
  for (const Paid& one : result.ledger) {
    if (!one.step) continue;
    EXPECT_GT(one.step->iterations, before);
    before = one.step->iterations;
  }
  EXPECT_LE(before, counts.iterations);
}

INSTANTIATE_TEST_SUITE_P(Methods, Ledger,
                         testing::Values(Method::mh, Method::gp_mh, Method::gp_mala, Method::automatic));

// A prediction made after the evaluation was learned from would be right to the last digit.
TEST(Ledger, PredictionsAreThoseFromBeforeTheEvaluation) {
  for (const Method method : {Method::gp_mh, Method::automatic}) {
    const RunResult result = run_epidemic(short_run(method)).result;
    double exact = 0, compared = 0;
    for (const Paid& one : result.ledger) {
      if (!one.predicted || !one.step) continue;
      exact += std::abs(one.predicted->log_likelihood - one.log_likelihood) < 1e-6 ? 1 : 0;
      compared += 1;
    }
    ASSERT_GT(compared, 50);
    EXPECT_LT(exact / compared, 0.1);
  }
}

TEST(Ledger, IsToldWhileTheRunGoesOn) {
  std::size_t rounds = 0;
  run_epidemic(short_run(Method::automatic), 1, watched::Pace::prompt, [&](const Progress& at) {
    ASSERT_NE(at.ledger, nullptr);
    EXPECT_EQ(static_cast<std::int64_t>(at.ledger->size()), at.evaluations);
    ++rounds;
  });
  EXPECT_GT(rounds, 10U);
}

}  // namespace
}  // namespace hunch
