// Survey and Explorer: free draws have the surrogate's moments and stay where it may be trusted; learning
// ends when it no longer pays, and says so when it gives up.
#include "hunch/explore/explorer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

using Function = std::function<double(const Vector& theta)>;

Parameters two_normals(double sd) {
  return Parameters({{"a", {Normal{0, sd}}}, {"b", {Normal{0, sd}}}});
}

double correlated_normal(const Vector& z) {
  return -0.5 * z.dot(Matrix{{2, 1}, {1, 1}} * z);
}

double banana(const Vector& z) {
  return -0.5 * z[0] * z[0] - 2 * std::pow(z[1] - z[0] * z[0] + 1, 2);
}

double rough(const Vector& z) {
  return -0.5 * z.squaredNorm() + 3 * std::sin(40 * z[0]) * std::sin(37 * z[1]);
}

std::vector<Lesson> lessons_at(const Parameters& parameters, const Function& f,
                               const std::vector<Vector>& xs) {
  std::vector<Lesson> lessons;
  for (const Vector& x : xs)
    lessons.push_back({x, f(parameters.theta(x)), std::nullopt, parameters.log_prior(x)});
  return lessons;
}

// Told at random points with a first coordinate up to `end`.
Landscape told(const Parameters& parameters, const Function& f, Index points, double end = infinity) {
  Landscape landscape(Frame::of(Vector::Zero(2), Matrix::Identity(2, 2)));
  Rng rng({3, 0, 0, Purpose::test});
  std::vector<Vector> xs;
  while (static_cast<Index>(xs.size()) < points)
    if (const Vector x = 1.5 * rng.normal(2); x[0] < end) xs.push_back(x);
  landscape.add(lessons_at(parameters, f, xs));
  landscape.refit(20);
  return landscape;
}

constexpr SurveyOptions survey_options{.trust = 1.5, .tail_trust = 3, .flattening = 3};

// Twenty surveys with walkers in common are worth some 4000 independent draws: 5 standard errors.
TEST(Survey, WeightedDrawsHaveTheMomentsOfTheSurrogate) {
  const Parameters parameters = two_normals(2);
  const Landscape landscape = told(parameters, correlated_normal, 40);
  Surveyor surveyor(parameters, 1, survey_options);
  const Matrix covariance = Matrix{{2.25, 1}, {1, 1.25}}.inverse();
  constexpr int surveys = 20;
  Vector mean = Vector::Zero(2);
  Matrix squares = Matrix::Zero(2, 2);
  for (int i = 0; i < surveys; ++i) {
    const Cloud cloud = surveyor(landscape).cloud;
    EXPECT_NEAR(cloud.weights.sum(), 1, 1e-12);
    mean += cloud.positions * cloud.weights / surveys;
    squares += cloud.positions * cloud.weights.asDiagonal() * cloud.positions.transpose() / surveys;
  }
  for (Index j = 0; j < 2; ++j) {
    EXPECT_NEAR(mean[j] / std::sqrt(covariance(j, j)), 0, 0.08);
    EXPECT_NEAR(std::sqrt(squares(j, j) / covariance(j, j)), 1, 0.06);
  }
}

TEST(Survey, WalkersStayWhereTheLandscapeKnowsEnough) {
  const Parameters parameters = two_normals(2);
  const Landscape half = told(parameters, banana, 40, -0.5);
  const auto largest_deviations = [&](const SurveyOptions& options) {
    Surveyor surveyor(parameters, 1, options);
    const Survey survey = surveyor(half);
    const Vector deviations = half.deviations(survey.cloud.positions);
    return std::pair(deviations.head(survey.bulk).maxCoeff(),
                     deviations.tail(deviations.size() - survey.bulk).maxCoeff());
  };
  const auto [bulk, tails] = largest_deviations(survey_options);
  EXPECT_LE(bulk, 1.5);
  EXPECT_LE(tails, 3);
  EXPECT_GT(tails, 1.5);
  // Without the rule they go on into what nobody knows.
  const auto [free_bulk, free_tails] = largest_deviations({.trust = 1e9, .tail_trust = 1e9, .flattening = 3});
  EXPECT_GT(free_bulk, 3);
  EXPECT_GT(free_tails, 6);
}

TEST(Survey, RandomDrawsAreOfTheirPartAndNotTakenYet) {
  Survey survey;
  survey.bulk = 3;
  survey.cloud.positions = Matrix{{0, 1, 2, 3, 4}};
  Rng rng({4, 0, 0, Purpose::test});
  std::set<Index> bulk, tails;
  const std::vector<Vector> taken = {Vector{{1}}, Vector{{4}}};
  for (int i = 0; i < 200; ++i) {
    bulk.insert(random_draw(survey, Part::bulk, taken, rng));
    tails.insert(random_draw(survey, Part::tails, taken, rng));
  }
  EXPECT_EQ(bulk, (std::set<Index>{0, 2}));
  EXPECT_EQ(tails, (std::set<Index>{3}));
}

TEST(Calibration, IsOneForHonestClaimsAndGrowsWithErrors) {
  EXPECT_DOUBLE_EQ(calibration({}, 6), 1);
  const std::vector<Audit> honest(8, {0.3, 0.3});
  EXPECT_DOUBLE_EQ(calibration(honest, 8), 1);
  const std::vector<Audit> bold(8, {3, 0.3});
  EXPECT_NEAR(calibration(bold, 8), std::sqrt((4 + 800) / 12.0), 1e-9);
  // Only the last ones; and an impossible place is no error to speak of.
  std::vector<Audit> better = bold;
  better.insert(better.end(), honest.begin(), honest.end());
  EXPECT_DOUBLE_EQ(calibration(better, 6), 1);
  EXPECT_DOUBLE_EQ(calibration({{-infinity, 0.3}}, 6), 1);
}

struct Exploration {
  Parameters parameters;
  Function f;
  Explorer explorer;

  Exploration(Function function, std::uint64_t seed)
      : parameters(two_normals(3)),
        f(std::move(function)),
        explorer(parameters, prior_box(parameters, {}), seed,
                 [this](const std::vector<Vector>& xs) { return lessons_at(parameters, f, xs); }) {
    explorer.find(fill_prior(parameters, prior_box(parameters, {}), 10, seed));
  }
  std::int64_t evaluations() const {
    return static_cast<std::int64_t>(explorer.landscape().lessons().size());
  }
};

// Each holds for every seed, not for a chosen one.
constexpr std::uint64_t seeds = 8;

TEST(Explorer, StopsSoonWhereThereIsNothingToLearn) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Exploration exploration(correlated_normal, seed);
    const std::int64_t found = exploration.evaluations();
    EXPECT_EQ(exploration.explorer.learn({.evaluations = 500, .draws = 4000}), Explorer::Result::learned);
    EXPECT_LE(exploration.evaluations() - found, 20) << seed;  // five audits, and two more for each
    EXPECT_LT(exploration.explorer.error_where_it_counts(), 0.1) << seed;
  }
}

// What an evaluation saves is proportional to the draws still wanted.
TEST(Explorer, LearnsMoreForMoreDraws) {
  std::int64_t few = 0, many = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const std::int64_t draws : {40, 40000}) {
      Exploration exploration(banana, seed);
      const std::int64_t found = exploration.evaluations();
      EXPECT_EQ(exploration.explorer.learn({.evaluations = 500, .draws = draws}), Explorer::Result::learned);
      (draws == 40 ? few : many) += exploration.evaluations() - found;
    }
  }
  EXPECT_LT(few + 5 * static_cast<std::int64_t>(seeds), many);
}

// Most draws of the surrogate would be accepted as independent proposals, by the exact values.
TEST(Explorer, LeavesASurrogateWhoseDrawsAreAccepted) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Exploration exploration(banana, seed);
    EXPECT_EQ(exploration.explorer.learn({.evaluations = 500, .draws = 4000}), Explorer::Result::learned);
    Explorer& explorer = exploration.explorer;
    const Matrix xs = explorer.surveyor().draws(explorer.landscape(), 400, 30);
    const Vector predicted = explorer.landscape().values(xs);
    double accepted = 0;
    double before = 0;
    for (Index i = 0; i < xs.cols(); ++i) {
      const double surplus = banana(xs.col(i)) - predicted[i];
      if (i > 0) accepted += std::exp(std::min(0.0, surplus - before)) / static_cast<double>(xs.cols() - 1);
      before = surplus;
    }
    EXPECT_GT(accepted, 0.7) << seed;
  }
}

// The surrogate of a density with ripples of three nats cannot be good: it gives up, and does not claim to
// be.
TEST(Explorer, GivesUpOnWhatCannotBeLearned) {
  int large = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Exploration exploration(rough, seed);
    const std::int64_t most = exploration.evaluations() + 100;
    EXPECT_EQ(exploration.explorer.learn({.evaluations = most, .draws = 1000000}), Explorer::Result::gave_up);
    EXPECT_GE(exploration.evaluations(), most);
    EXPECT_LE(exploration.evaluations(), most + 10);
    large += exploration.explorer.error_where_it_counts() > 1;
  }
  EXPECT_GE(large, 2);
}

}  // namespace
}  // namespace hunch
