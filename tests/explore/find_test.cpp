// Find: the bulk is reached and declared, from prior points, on the shapes that climbs fail on; and what was
// not found is reported. Each holds for a dozen seeds, not for a chosen one.
#include "hunch/explore/find.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

constexpr std::uint64_t seeds = 12;

using Function = std::function<double(const Vector& theta)>;

Parameters normal_priors(const std::vector<double>& sds) {
  std::vector<Parameter> list;
  for (std::size_t j = 0; j < sds.size(); ++j)
    list.push_back({std::to_string(j), Normal{0, sds[j]}, std::nullopt});
  return Parameters(list);
}

struct Search {
  Parameters parameters;
  Function log_likelihood;
  std::vector<Lesson> lessons = {};
  Index largest_batch = 0;

  std::vector<Lesson> evaluate(const std::vector<Vector>& positions) {
    largest_batch = std::max(largest_batch, static_cast<Index>(positions.size()));
    std::vector<Lesson> result;
    for (const Vector& x : positions)
      result.push_back({x, log_likelihood(parameters.theta(x)), std::nullopt, parameters.log_prior(x)});
    return result;
  }
  Found run(std::uint64_t seed, FindOptions options = {}) {
    const PriorBox box = prior_box(parameters, {});
    lessons = evaluate(fill_prior(parameters, box, 2 * parameters.dimension() + 6, seed));
    largest_batch = 0;
    return find(
        parameters, box, lessons,
        [this](const std::vector<Vector>& positions) { return evaluate(positions); }, options, seed);
  }
};

bool declared(const Found& found) {
  return found.best.ending != Climbed::Ending::not_found;
}

double regression(const Vector& theta) {
  return -40 * theta[2] - 0.5 * std::exp(-2 * theta[2]) *
                              (5 + 30 * std::pow(theta[0] - 1, 2) + 10 * std::pow(theta[1] + 1, 2));
}

TEST(Find, ReachesARegressionWithUnknownNoiseInAFewRounds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Search search{normal_priors({10, 10, 10}), regression};
    const Found found = search.run(seed);
    ASSERT_EQ(found.best.ending, Climbed::Ending::normal) << seed;
    EXPECT_NEAR(found.best.top.centre[0], 1, 0.01) << seed;
    EXPECT_NEAR(found.best.top.centre[2], 0.5 * std::log(5.0 / 40), 0.02) << seed;
    // By the curvature of the density itself: sigma^2 / 60 and, of the logarithm, 1 / 80.
    EXPECT_NEAR(found.best.top.covariance(0, 0) / (5.0 / 40 / 30), 1, 0.05) << seed;
    EXPECT_NEAR(found.best.top.covariance(2, 2) * 80, 1, 0.05) << seed;
    EXPECT_LE(search.lessons.size(), 60U) << seed;
    EXPECT_EQ(found.climbs, 1) << seed << ": one model explains every start";
  }
}

TEST(Find, ReachesTheTopOfARidgeOfConditionTenToTheEighth) {
  const Index d = 6;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Rng rng({seed, 0, 0, Purpose::test});
    const Eigen::HouseholderQR<Matrix> rotation(
        Matrix::NullaryExpr(d, d, [&](Index, Index) { return rng.normal(); }));
    const Matrix q = rotation.householderQ();
    const Vector top = rng.normal(d);
    Search search{normal_priors(std::vector<double>(d, 1)), [&](const Vector& theta) {
                    const Vector z = q.transpose() * (theta - top);
                    double sum = 0;
                    for (Index j = 0; j < d; ++j)
                      sum -= 0.5 * std::pow(10, 8.0 * static_cast<double>(j) / (d - 1)) * z[j] * z[j];
                    return sum;
                  }};
    const Found found = search.run(seed);
    ASSERT_TRUE(declared(found)) << seed;
    EXPECT_GT(found.best.top.log_posterior, search.parameters.log_prior(top) - 3.5 - d / 2.0) << seed;
  }
}

TEST(Find, ReachesTheBulkBehindAHalfOfThePriorWithZeroLikelihood) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Search search{normal_priors({1, 1, 1}), [](const Vector& theta) {
                    if (theta[0] < 0) return -infinity;
                    return -0.5 * ((theta - Vector{{1, 1, -1}}) / 0.05).squaredNorm();
                  }};
    const Found found = search.run(seed);
    ASSERT_TRUE(declared(found)) << seed;
    EXPECT_LT((found.best.top.position - Vector{{1, 1, -1}}).norm(), 0.2) << seed;
  }
}

TEST(Find, ReachesTheTopBesideACliff) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Search search{normal_priors({1, 1}), [](const Vector& theta) {
                    return -0.5 * (theta / 0.1).squaredNorm() - (theta[0] + theta[1] > 0.02 ? 20 : 0);
                  }};
    const Found found = search.run(seed);
    ASSERT_TRUE(declared(found)) << seed;
    EXPECT_GT(found.best.top.log_posterior, search.parameters.log_prior(Vector::Zero(2)) - 4) << seed;
  }
}

TEST(Find, UsesGradientsToNeedFewerEvaluations) {
  const Vector top{{0.5, -0.5, 0.2, 0.1, 0, -0.3, 0.4, 0.2}};
  std::size_t with = 0;
  std::size_t without = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto value = [&](const Vector& theta) {
      const Vector z = (theta - top) / 0.01;
      return -std::log1p(0.5 * z.squaredNorm()) * 20;  // not a quadratic
    };
    Search plain{normal_priors(std::vector<double>(8, 1)), value};
    plain.run(seed);
    without += plain.lessons.size();
    const Parameters& parameters = plain.parameters;
    const auto sloped = [&](const std::vector<Vector>& positions) {
      std::vector<Lesson> result;
      for (const Vector& x : positions) {
        const Vector z = (x - top) / 0.01;
        result.push_back(
            {x, value(x), -20 / (1 + 0.5 * z.squaredNorm()) * z / 0.01, parameters.log_prior(x)});
      }
      return result;
    };
    const PriorBox box = prior_box(parameters, {});
    std::vector<Lesson> lessons = sloped(fill_prior(parameters, box, 22, seed));
    const Found found = find(parameters, box, lessons, sloped, {}, seed);
    ASSERT_TRUE(declared(found)) << seed;
    EXPECT_LT((found.best.top.position - top).norm(), 0.03) << seed;
    with += lessons.size();
  }
  EXPECT_LT(2 * with, without);
}

// Two modes of the same mass, eight sds apart.
TEST(Find, LearnsOfASecondModeThatCarriesMass) {
  int both = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Search search{normal_priors({2, 2}), [](const Vector& theta) {
                    const Vector modes{{-2, 2}};
                    double best = -infinity;
                    for (Index k = 0; k < 2; ++k)
                      best = std::max(best,
                                      -0.5 * ((theta - Vector::Constant(2, modes[k])) / 0.5).squaredNorm());
                    return best;
                  }};
    search.run(seed);
    Vector nearest = Vector::Constant(2, infinity);
    for (const Lesson& lesson : search.lessons)
      for (Index k = 0; k < 2; ++k)
        nearest[k] = std::min(nearest[k], (lesson.position - Vector::Constant(2, k ? 2.0 : -2.0)).norm());
    both += nearest.maxCoeff() < 0.5;
  }
  EXPECT_GE(both, 11);
}

TEST(Find, TellsWhenOnlyOneOfSeveralClimbsReachedTheBest) {
  // Some thirty tops, of which a climb reaches the one near its start: few runs find the best, and those that
  // do not must say so. Two climbs that come to the same lower top by chance are what cannot be seen.
  int silent = 0;
  int told = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto waves = [](const Vector& theta) {
      return 200 * (std::cos(theta[0]) + std::cos(theta[1])) - (theta - Vector{{0.9, 0.4}}).squaredNorm();
    };
    Search search{normal_priors({5, 5}), waves};
    const Found found = search.run(seed);
    const bool right = found.best.top.log_posterior >
                       waves(Vector::Zero(2)) + search.parameters.log_prior(Vector::Zero(2)) - 4;
    silent += found.confirmed && !right;
    told += !found.confirmed;
  }
  EXPECT_LE(silent, 2);
  EXPECT_GE(told, 3);
}

TEST(Find, SaysThatItIsNotAtTheBulkIfThereIsNone) {
  // It rises without end, ever faster: no proper posterior.
  Search search{normal_priors({1, 1}), [](const Vector& theta) { return theta.array().pow(4).sum(); }};
  const Found found = search.run(1);
  EXPECT_EQ(found.best.ending, Climbed::Ending::not_found);
}

TEST(Find, AsksForNoMoreAtATimeThanItsWidthOrATest) {
  for (const Index width : {1, 8, 16}) {
    Search search{normal_priors({10, 10, 10}), regression};
    const Found found = search.run(3, {.width = width});
    EXPECT_TRUE(declared(found));
    EXPECT_LE(search.largest_batch, std::max<Index>(width, 5));
  }
}

}  // namespace
}  // namespace hunch
