// The C library of problems against the problems themselves.
#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/problems/prior_start.hpp"
#include "hunch/problems/problem.hpp"
#include "problem_library/hunch_problem.h"
#include "problems/finite_difference.hpp"

namespace hunch {
namespace {

struct Close {
  void operator()(hunch_problem* problem) const { hunch_problem_close(problem); }
};
using Opened = std::unique_ptr<hunch_problem, Close>;

TEST(ProblemLibrary, UnknownNameOpensNothing) {
  EXPECT_EQ(hunch_problem_open("T9"), nullptr);
}

TEST(ProblemLibrary, DensityAndGradientAreThePosteriorsInPositions) {
  const Opened opened(hunch_problem_open("T4"));
  const Problem problem = make_problem("T4");
  ASSERT_EQ(hunch_problem_dimension(opened.get()), 4);
  Vector position = problem.parameters.position(problem.truth) + Vector::Constant(4, 0.05);
  Vector gradient(4);
  const double value = hunch_problem_log_posterior(opened.get(), position.data(), gradient.data());
  EXPECT_DOUBLE_EQ(value,
                   problem.parameters.log_prior(position) +
                       problem.evaluate(problem.parameters.theta(position), Want::value).log_likelihood);
  const Vector difference = finite_difference(
      [&](const Vector& x) { return hunch_problem_log_posterior(opened.get(), x.data(), nullptr); }, position,
      1e-3);
  EXPECT_LT((gradient - difference).norm(), 1e-6 * gradient.norm());
}

TEST(ProblemLibrary, EveryEvaluationIsCountedAndWhereThePriorIsZeroNoneIsMade) {
  const Opened opened(hunch_problem_open("T2"));
  const Vector position = Vector::Ones(3);
  EXPECT_EQ(hunch_problem_evaluations(opened.get()), 0);
  for (int i = 0; i < 3; ++i) hunch_problem_log_posterior(opened.get(), position.data(), nullptr);
  EXPECT_EQ(hunch_problem_evaluations(opened.get()), 3);
  const Vector nowhere = Vector::Constant(3, std::nan(""));
  Vector gradient = Vector::Ones(3);
  EXPECT_EQ(hunch_problem_log_posterior(opened.get(), nowhere.data(), gradient.data()), -infinity);
  EXPECT_EQ(gradient, Vector::Zero(3));
  EXPECT_EQ(hunch_problem_evaluations(opened.get()), 3);
}

TEST(ProblemLibrary, StartsAreThoseOfThePriorByTheirAddress) {
  const Opened opened(hunch_problem_open("T4"));
  const Problem problem = make_problem("T4");
  Vector start(4), spread(4);
  hunch_problem_prior_start(opened.get(), 7, 2, 1, start.data());
  Rng rng({7, 2, 1, Purpose::start});
  EXPECT_EQ(start, prior_start(problem.parameters, rng));
  hunch_problem_prior_spread(opened.get(), spread.data());
  EXPECT_NEAR(spread[1], 2, 0.02);  // log gamma ~ N(log 2, 2)
}

}  // namespace
}  // namespace hunch
