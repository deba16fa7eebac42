#include "hunch/problems/study_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/problems/eight_schools.hpp"
#include "hunch/problems/hard_densities.hpp"
#include "hunch/problems/normal_density.hpp"
#include "hunch/problems/normal_mixture.hpp"
#include "problems/finite_difference.hpp"

namespace hunch {
namespace {

double value_at(const Problem& problem, const Vector& theta) {
  return problem.evaluate(theta, Want::value).log_likelihood;
}

class StudyProblem : public testing::TestWithParam<const char*> {};

TEST_P(StudyProblem, GradientIsThatOfTheValue) {
  const Problem problem = make_problem(GetParam());
  const bool fine = problem.name == "spike" || problem.name == "rough";  // features of size 0.01
  Rng rng(Address{3, 0, 0, Purpose::test});
  for (int k = 0; k < 30; ++k) {
    const Vector position = problem.parameters.position(problem.truth) +
                            (k < 15 ? 0.3 : 1.5) * rng.normal(problem.parameters.dimension());
    const Vector theta = problem.parameters.theta(position);
    if (problem.name == "cliff" && std::abs(theta[0] - cliff_edge) < 0.01) continue;
    const Exact exact = problem.evaluate(theta, Want::value_and_gradient);
    const Vector difference =
        finite_difference([&](const Vector& t) { return value_at(problem, t); }, theta, fine ? 2e-5 : 1e-3);
    EXPECT_LT((*exact.gradient - difference).norm(), (fine ? 1e-6 : 1e-7) * (1 + exact.gradient->norm()))
        << theta.transpose();
  }
}

TEST_P(StudyProblem, PriorsAreProperSoThatChainsCanStartFromThem) {
  const Problem problem = make_problem(GetParam());
  for (const Parameter& parameter : problem.parameters.list()) EXPECT_TRUE(is_proper(parameter.prior));
}

TEST_P(StudyProblem, DataDoNotDependOnTheSeed) {
  const Problem first = make_problem(GetParam(), {.seed = 1});
  const Problem second = make_problem(GetParam(), {.seed = 2, .simulation = 5});
  const Vector theta = first.parameters.theta(Vector::Constant(first.parameters.dimension(), 0.37));
  EXPECT_EQ(value_at(first, theta), value_at(second, theta));
}

INSTANTIATE_TEST_SUITE_P(All, StudyProblem,
                         testing::Values("ar1-10", "eight-schools", "normal-20", "bimodal", "cliff", "rough",
                                         "funnel", "spike", "rosenbrock-20"),
                         [](const auto& name) {
                           std::string word = name.param;
                           for (char& c : word) c = c == '-' ? '_' : c;
                           return word;
                         });

TEST(StudyProblems, Ar1NeighboursAreCorrelatedByNineTenthsWithUnitVariances) {
  const NormalDensity density = ar1_density();
  const Matrix covariance = density.precision.inverse();
  for (Index i = 0; i < 10; ++i)
    for (Index j = 0; j < 10; ++j)
      EXPECT_NEAR(covariance(i, j), std::pow(0.9, std::abs(double(i - j))), 1e-12);
}

TEST(StudyProblems, RotatedNormalHasConditionNumberHundredAndNoAxisOfItsOwn) {
  const NormalDensity density = rotated_density();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(density.precision);
  EXPECT_NEAR(eigen.eigenvalues()[19] / eigen.eigenvalues()[0], 100, 1e-9);
  EXPECT_LT(eigen.eigenvectors().cwiseAbs().maxCoeff(), 0.5);
  EXPECT_GT(density.mean.norm(), 5);
}

TEST(StudyProblems, NormalisedDensitiesHaveMassOne) {
  // At the mean of a normal the density is (2 pi)^-d/2 det^-1/2.
  const NormalDensity density = rotated_density();
  const double expected = -10 * log_two_pi + 0.5 * std::log(density.precision.fullPivLu().determinant());
  EXPECT_NEAR(normal_log_density(density, density.mean, Want::value).log_likelihood, expected, 1e-10);
  for (const auto& peaks : {bimodal_peaks(), spike_peaks()}) {
    double mass = 0;
    const double h = 0.008;
    for (double x = -7.5; x <= 9; x += h)
      for (double y = -9; y <= 8.5; y += h)
        mass +=
            h * h * std::exp(mixture_log_density(peaks, Eigen::Vector2d(x, y), Want::value).log_likelihood);
    EXPECT_NEAR(mass, 1, 1e-8);
  }
}

TEST(StudyProblems, ModesLieSixSdsApartAndTheSpikeIsNarrowAndHeavy) {
  const auto two = bimodal_peaks();
  EXPECT_NEAR((two[0].centre - two[1].centre).norm(), 6, 1e-12);
  EXPECT_DOUBLE_EQ(two[0].weight, 0.3);
  EXPECT_DOUBLE_EQ(two[1].weight, 0.7);
  EXPECT_DOUBLE_EQ(spike_peaks()[1].weight, 0.3);
  EXPECT_LE(spike_peaks()[1].sd, 0.01);
}

TEST(StudyProblems, EightSchoolsValueIsTheProductOfEightNormals) {
  Vector theta(10);
  theta << 5, 3, 1, -1, 0.5, 0, 2, -2, 0.1, 0.3;
  double expected = 0;
  for (Index j = 0; j < 8; ++j) {
    const double z = (school_effects()[j] - 5 - 3 * theta[2 + j]) / school_errors()[j];
    expected += -0.5 * z * z - std::log(school_errors()[j] * std::sqrt(2 * M_PI));
  }
  EXPECT_NEAR(eight_schools_log_likelihood(theta, Want::value).log_likelihood, expected, 1e-12);
}

TEST(StudyProblems, CliffDropsByItsHeightAcrossTheEdgeAndNowhereElse) {
  const auto value = [](double x, double y) {
    return cliff_log_density(Eigen::Vector2d(x, y), Want::value).log_likelihood;
  };
  EXPECT_NEAR(value(cliff_edge, 1) - value(cliff_edge + 1e-12, 1), cliff_height, 1e-9);
  EXPECT_NEAR(value(-cliff_edge, 1), value(-cliff_edge + 1e-12, 1), 1e-9);
}

TEST(StudyProblems, RoughWiggleIsAboutOneNatAndNearbyPointsKnowNothingOfIt) {
  Rng rng(Address{5, 0, 0, Purpose::test});
  double squares = 0, product = 0;
  const int count = 4000;
  const auto wiggle = [](const Vector& t) {
    return rough_log_density(t, Want::value).log_likelihood + 0.5 * t.squaredNorm();
  };
  for (int k = 0; k < count; ++k) {
    const Vector here = rng.normal(2);
    squares += wiggle(here) * wiggle(here) / count;
    product += wiggle(here) * wiggle(here + 0.2 * rng.normal(2)) / count;
  }
  EXPECT_NEAR(std::sqrt(squares), 1, 0.05);
  EXPECT_LT(std::abs(product), 0.08);  // five standard errors of an average of 4000 with sd 1
}

}  // namespace
}  // namespace hunch
