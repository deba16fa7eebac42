// Where a model gives gradients, exploring learns from them, and nothing else asks for them.
#include <gtest/gtest.h>

#include "run/watched.hpp"

namespace hunch::watched {
namespace {

struct Counts {
  std::int64_t values = 0;
  std::int64_t gradients = 0;
  bool gradient_after_value = false;
};

struct Counted {
  RunResult result;
  Counts asked;
};

Counted run_counted(const RunSettings& settings) {
  const Problem problem = make_problem("T4");
  Counts asked;
  FunctionModel model(
      [&](const Vector& theta, Want want) {
        ++(want == Want::value ? asked.values : asked.gradients);
        if (want == Want::value_and_gradient && asked.values > 0) asked.gradient_after_value = true;
        return problem.evaluate(theta, want);
      },
      {.gradient = true});
  Evaluator evaluator(model, 1);
  RunResult result = run(problem.parameters, evaluator, epidemic_starts(problem),
                         epidemic_proposal(settings.method), settings);
  return {std::move(result), asked};
}

constexpr RunSettings settings{.method = Method::automatic, .draws = 30, .seed = 4, .gradients = true};

TEST(Gradients, AreAskedForWhileExploringAndNeverAfterwards) {
  const auto [result, asked] = run_counted(settings);
  EXPECT_GT(asked.gradients, 10);
  EXPECT_GE(asked.values, 4 * 30 / 2);
  EXPECT_FALSE(asked.gradient_after_value);
  EXPECT_EQ(asked.values + asked.gradients, result.evaluations);
}

TEST(Gradients, AreNotAskedForWhereTheModelHasNone) {
  RunSettings without = settings;
  without.gradients = false;
  EXPECT_EQ(run_counted(without).asked.gradients, 0);
}

// Else they would be paid for and not listened to.
// At least a third of them, as the documentation says.
TEST(Gradients, SaveEvaluationsWhileExploring) {
  RunSettings without = settings;
  without.exactness = Exactness::audited;
  RunSettings with = without;
  without.gradients = false;
  const Counted by_values = run_counted(without);
  const Counted by_both = run_counted(with);
  ASSERT_EQ(by_both.result.certificate->verdict, Certificate::Verdict::passed);
  EXPECT_EQ(by_both.asked.values, 0);
  EXPECT_LT(3 * by_both.asked.gradients, 2 * by_values.asked.values);
}

TEST(Gradients, SameSeedGivesTheSameDraws) {
  const RunResult once = run_counted(settings).result;
  const RunResult again = run_counted(settings).result;
  EXPECT_EQ(once.evaluations, again.evaluations);
  for (std::size_t chain = 0; chain < once.chains.size(); ++chain)
    EXPECT_EQ(once.chains[chain].positions, again.chains[chain].positions);
}

}  // namespace
}  // namespace hunch::watched
