#include "hunch/problems/problem.hpp"

#include <gmock/gmock.h>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

ProblemOptions small(std::uint64_t seed, std::uint32_t simulation) {
  return {.seed = seed, .simulation = simulation, .t3_points = 40};
}

double value_at_truth(const std::string& name, const ProblemOptions& options, const Vector& theta) {
  return make_problem(name, options).evaluate(theta, Want::value).log_likelihood;
}

TEST(Problem, EveryNameMakesAProblemWhoseTruthIsPossible) {
  ASSERT_THAT(problem_names(),
              testing::ElementsAre("T1", "T2", "T3", "T4", "T5", "ar1-10", "eight-schools", "normal-20",
                                   "bimodal", "cliff", "rough", "funnel", "spike", "rosenbrock-20"));
  for (const std::string& name : problem_names()) {
    const Problem problem = make_problem(name, small(1, 0));
    EXPECT_EQ(problem.name, name);
    const Index dimension = problem.parameters.dimension();
    ASSERT_EQ(problem.truth.size(), dimension);
    const Vector position = problem.parameters.position(problem.truth);
    EXPECT_TRUE(std::isfinite(problem.parameters.log_prior(position)));
    const Exact exact = problem.evaluate(problem.truth, Want::value_and_gradient);
    EXPECT_TRUE(std::isfinite(exact.log_likelihood));
    EXPECT_EQ(exact.gradient->size(), dimension);
    EXPECT_FALSE(problem.evaluate(problem.truth, Want::value).gradient);
    EXPECT_EQ(problem.evaluate(problem.truth, Want::value).log_likelihood, exact.log_likelihood);
  }
}

TEST(Problem, AliasAndCaseNameTheSameProblem) {
  EXPECT_EQ(make_problem("Banana").name, "T1");
  EXPECT_EQ(make_problem("t2").name, "T2");
  EXPECT_EQ(make_problem("classifier", small(1, 0)).name, "T3");
  EXPECT_EQ(make_problem("SIR").name, "T4");
  EXPECT_EQ(make_problem("logistic").name, "T5");
}

TEST(Problem, UnknownNameIsRefusedWithTheKnownOnes) {
  try {
    make_problem("T6");
    FAIL() << "T6 was made";
  } catch (const InputError& error) {
    for (const char* word : {"\"T6\"", "T1 (banana)", "T2 (saturation)", "T3 (classifier)", "T4 (sir)",
                             "T5 (logistic)", "normal-20,"}) {
      EXPECT_THAT(error.what(), testing::HasSubstr(word));
    }
  }
  EXPECT_THROW(make_problem(""), InputError);
  EXPECT_THROW(make_problem("T"), InputError);
}

TEST(Problem, PointsOutOfRangeAndThetaOfWrongLengthAreRefused) {
  EXPECT_THROW(make_problem("T3", {.t3_points = 9}), InputError);
  EXPECT_THROW(make_problem("T3", {.t3_points = 5001}), InputError);
  EXPECT_THROW(make_problem("T4").evaluate(Vector::Ones(3), Want::value), InputError);
}

TEST(Problem, SameOptionsGiveTheSameDataAndOthersDoNot) {
  for (const char* name : {"T2", "T3", "T4", "T5"}) {
    const Vector theta = make_problem(name, small(1, 0)).truth;
    const double value = value_at_truth(name, small(1, 0), theta);
    EXPECT_EQ(value, value_at_truth(name, small(1, 0), theta)) << name;
    EXPECT_NE(value, value_at_truth(name, small(1, 1), theta)) << name;
    EXPECT_NE(value, value_at_truth(name, small(2, 0), theta)) << name;
  }
}

TEST(Problem, TrueParametersAreDrawnAnewOnlyWhereThePaperSaysSo) {
  for (const char* name : {"T3", "T5"}) {
    EXPECT_NE(make_problem(name, small(1, 0)).truth, make_problem(name, small(1, 1)).truth);
  }
  for (const char* name : {"T1", "T2", "T4"}) {
    EXPECT_EQ(make_problem(name, small(1, 0)).truth, make_problem(name, small(1, 1)).truth);
  }
}

TEST(Problem, PriorsAreThoseOfThePaper) {
  const auto prior = [](const char* problem, Index parameter) {
    return make_problem(problem, small(1, 0)).parameters.list()[static_cast<std::size_t>(parameter)].prior;
  };
  EXPECT_EQ(prior("T1", 0), parse_prior("flat"));
  EXPECT_EQ(prior("T2", 0), parse_prior("normal(3, 1)"));
  EXPECT_EQ(prior("T2", 1), parse_prior("normal(30, 15)"));
  EXPECT_EQ(prior("T2", 2), parse_prior("normal(-2, 1)"));
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(prior("T3", i), parse_prior("normal(0, 3.1622776601683795)"));
  EXPECT_EQ(prior("T4", 0), parse_prior("normal(2, 3, lower=1)"));
  EXPECT_EQ(prior("T4", 1), parse_prior("lognormal(0.6931471805599453, 2)"));
  EXPECT_EQ(prior("T4", 3), parse_prior("halfcauchy(1)"));
  for (Index i = 0; i < 5; ++i) EXPECT_EQ(prior("T5", i), parse_prior("normal(0, 10)"));
}

TEST(Problem, AnyPositionHasADefinedValueWhateverIsWanted) {
  for (const std::string& name : problem_names()) {
    const Problem problem = make_problem(name, small(3, 0));
    Rng rng(Address{17, 0, 0, Purpose::test});
    for (int k = 0; k < 120; ++k) {
      const double size = std::pow(10.0, k % 6 - 1);  // 0.1 .. 1e4, on the unconstrained scale
      const Vector theta = problem.parameters.theta(size * rng.normal(problem.parameters.dimension()));
      const Exact exact = problem.evaluate(theta, Want::value_and_gradient);
      const bool possible = std::isfinite(exact.log_likelihood);
      ASSERT_TRUE(possible || exact.log_likelihood == -infinity) << name << " at " << theta.transpose();
      ASSERT_EQ(possible, exact.gradient.has_value()) << name << " at " << theta.transpose();
      if (possible) {
        ASSERT_TRUE(exact.gradient->allFinite()) << name << " at " << theta.transpose();
      }
      ASSERT_EQ(problem.evaluate(theta, Want::value).log_likelihood, exact.log_likelihood);
    }
  }
}

}  // namespace
}  // namespace hunch
