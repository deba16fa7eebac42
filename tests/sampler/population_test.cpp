// Walkers of a density that is known.
//
// Populations are independent of one another, and each moment is estimated once by each of 60: the mean of 60
// such estimates must lie within 4 of its standard errors of the truth. By Student's distribution with 59
// degrees of freedom one comparison fails of itself with probability 1.8e-4; there are 17, so that one seed
// in about 300 gives a false alarm. The seed is fixed.
#include "hunch/sampler/population.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

constexpr int populations = 60;
constexpr Index walkers = 40;

// x ~ N(.2, 1/2), y = x^2 + N(0, 1/4).
Vector banana_densities(const Matrix& z) {
  Vector result(z.cols());
  for (Index i = 0; i < z.cols(); ++i) {
    const double x = z(0, i) - 0.2, miss = z(1, i) - z(0, i) * z(0, i);
    result[i] = -x * x - 2 * miss * miss;
  }
  return result;
}
Vector banana_draw(Rng& rng) {
  const double x = 0.2 + std::sqrt(0.5) * rng.normal();
  return Vector{{x, x * x + 0.5 * rng.normal()}};
}

// 0.3 N((-3, 0), 1/4) + 0.7 N((3, 1), 1/4): nothing lies between.
Vector twin_densities(const Matrix& z) {
  Vector result(z.cols());
  for (Index i = 0; i < z.cols(); ++i) {
    const double left = std::pow(z(0, i) + 3, 2) + std::pow(z(1, i), 2);
    const double right = std::pow(z(0, i) - 3, 2) + std::pow(z(1, i) - 1, 2);
    result[i] = std::log(0.3 * std::exp(-2 * left) + 0.7 * std::exp(-2 * right));
  }
  return result;
}
Vector twin_draw(Rng& rng) {
  const bool left = rng.uniform() < 0.3;
  return Vector{{left ? -3.0 : 3.0, left ? 0.0 : 1.0}} + 0.5 * rng.normal(2);
}

Population drawn(Vector (*draw)(Rng&), const LogDensities& density, Rng& rng) {
  Population population{Matrix(2, walkers), Vector(walkers)};
  for (Index i = 0; i < walkers; ++i) population.positions.col(i) = draw(rng);
  population.log_densities = density(population.positions);
  return population;
}

const Region everywhere = {};

using Feature = std::function<double(const Vector&)>;
struct Known {
  std::string name;
  Feature feature;
  double mean;
};

// How many standard errors each known mean is missed by, after evolving populations.
void expect_known(const std::vector<Known>& known, const std::vector<Population>& evolved) {
  for (const Known& one : known) {
    Vector estimates(populations);
    for (int p = 0; p < populations; ++p) {
      estimates[p] = 0;
      for (const auto& z : evolved[p].positions.colwise()) estimates[p] += one.feature(z) / walkers;
    }
    const double mean = estimates.mean();
    const double squares = (estimates.array() - mean).square().sum() / (populations - 1);
    EXPECT_LT(std::abs(mean - one.mean), 4 * std::sqrt(squares / populations)) << one.name;
  }
}

const std::vector<Known> banana_moments{
    {"x", [](const Vector& z) { return z[0]; }, 0.2},
    {"y", [](const Vector& z) { return z[1]; }, 0.54},
    {"x squared", [](const Vector& z) { return z[0] * z[0]; }, 0.54},
    {"y less x squared, squared", [](const Vector& z) { return std::pow(z[1] - z[0] * z[0], 2); }, 0.25},
};

TEST(Population, OfABananaStaysOne) {
  std::vector<Population> evolved;
  for (std::uint32_t p = 0; p < populations; ++p) {
    Rng rng({71, p, 0, Purpose::test});
    evolved.push_back(drawn(banana_draw, banana_densities, rng));
    const double share = evolve(evolved.back(), banana_densities, everywhere, 60, rng);
    EXPECT_GT(share, 0.05);
    EXPECT_EQ(evolved.back().log_densities, banana_densities(evolved.back().positions));
  }
  expect_known(banana_moments, evolved);
}

// By a region that cuts the banana in two, x by its truncated normal.
TEST(Population, WithinARegionIsTheDensityRestrictedToIt) {
  const Region right = [](const Vector& z) { return z[0] > 0; };
  std::vector<Population> evolved;
  for (std::uint32_t p = 0; p < populations; ++p) {
    Rng rng({77, p, 0, Purpose::test});
    Population population{Matrix(2, walkers), Vector(walkers)};
    for (Index i = 0; i < walkers; ++i) {
      Vector z = banana_draw(rng);
      while (!right(z)) z = banana_draw(rng);
      population.positions.col(i) = z;
    }
    population.log_densities = banana_densities(population.positions);
    EXPECT_GT(evolve(population, banana_densities, right, 60, rng), 0.05);
    EXPECT_GT(population.positions.row(0).minCoeff(), 0);
    EXPECT_EQ(population.log_densities, banana_densities(population.positions));
    evolved.push_back(population);
  }
  const double sd = std::sqrt(0.5);
  const double beyond = 0.5 * std::erfc(-0.2 / sd / std::sqrt(2.0));
  const double x = 0.2 + sd * std::exp(-0.04) / std::sqrt(2 * std::acos(-1.0)) / beyond;
  expect_known({{"x", banana_moments[0].feature, x},
                {"x squared", banana_moments[2].feature, 0.5 + 0.2 * x},
                {"y less x squared, squared", banana_moments[3].feature, 0.25}},
               evolved);
}

// Walkers that begin far from where they belong: a sampler that stood still would fail here.
TEST(Population, FindsABananaFromElsewhere) {
  std::vector<Population> evolved;
  for (std::uint32_t p = 0; p < populations; ++p) {
    Rng rng({72, p, 0, Purpose::test});
    Population population{Matrix(2, walkers), Vector(walkers)};
    for (Index i = 0; i < walkers; ++i) population.positions.col(i) = Vector{{2, 2}} + rng.normal(2);
    population.log_densities = banana_densities(population.positions);
    evolve(population, banana_densities, everywhere, 300, rng);
    evolved.push_back(population);
  }
  expect_known(banana_moments, evolved);
}

const std::vector<Known> twin_moments{
    {"left", [](const Vector& z) { return z[0] < 0 ? 1 : 0; }, 0.3},
    {"y", [](const Vector& z) { return z[1]; }, 0.7},
    {"distance from a mode", [](const Vector& z) { return std::pow(std::abs(z[0]) - 3, 2); }, 0.25},
};

TEST(Population, OfTwoModesStaysOne) {
  std::vector<Population> evolved;
  for (std::uint32_t p = 0; p < populations; ++p) {
    Rng rng({76, p, 0, Purpose::test});
    evolved.push_back(drawn(twin_draw, twin_densities, rng));
    evolve(evolved.back(), twin_densities, everywhere, 60, rng);
  }
  expect_known(twin_moments, evolved);
}

// One mode has all the walkers but four to begin with: its share must come right by leaps between the modes.
TEST(Population, SharesItsWalkersRightlyBetweenTwoModes) {
  std::vector<Population> evolved;
  for (std::uint32_t p = 0; p < populations; ++p) {
    Rng rng({73, p, 0, Purpose::test});
    Population population{Matrix(2, walkers), Vector(walkers)};
    for (Index i = 0; i < walkers; ++i)
      population.positions.col(i) =
          (i % 10 == 0 ? Vector{{3.0, 1.0}} : Vector{{-3.0, 0.0}}) + 0.5 * rng.normal(2);
    population.log_densities = twin_densities(population.positions);
    evolve(population, twin_densities, everywhere, 600, rng);
    evolved.push_back(population);
  }
  expect_known(twin_moments, evolved);
}

TEST(Population, NeverLeavesTheSupport) {
  const LogDensities quarter = [](const Matrix& z) {
    Vector result(z.cols());
    for (Index i = 0; i < z.cols(); ++i) result[i] = z.col(i).minCoeff() > 0 ? -z.col(i).sum() : -infinity;
    return result;
  };
  Rng rng({74, 0, 0, Purpose::test});
  Population population{Matrix(2, walkers), Vector(walkers)};
  for (Index i = 0; i < walkers; ++i) population.positions.col(i) << rng.uniform(), rng.uniform();
  population.log_densities = quarter(population.positions);
  evolve(population, quarter, everywhere, 200, rng);
  EXPECT_GT(population.positions.minCoeff(), 0);
}

TEST(Population, PickTakesEachAboutAsOftenAsItsDensitySays) {
  Matrix pool(1, 400);
  for (Index i = 0; i < 400; ++i) pool(0, i) = i < 200 ? 0 : 1;
  const LogDensities density = [](const Matrix& z) { return Vector(z.row(0).transpose() * std::log(3.0)); };
  Rng rng({75, 0, 0, Purpose::test});
  const Population population = pick(pool, density, 100, rng);
  EXPECT_NEAR(population.positions.sum(), 75, 1);
  EXPECT_EQ(population.log_densities, density(population.positions));
  // Shuffled: neither half has them all to itself. Below 27 of 50 or above 48 with probability below 1e-5.
  EXPECT_GT(population.positions.leftCols(50).sum(), 27);
  EXPECT_LT(population.positions.leftCols(50).sum(), 48);
}

TEST(Population, MomentsAreThoseOfTheWeightedColumns) {
  const Matrix columns{{0.0, 1.0, 4.0}, {2.0, 0.0, 1.0}};
  const Moments m = moments(columns, Vector{{0.5, 0.25, 0.25}});
  EXPECT_TRUE(m.mean.isApprox(Vector{{1.25, 1.25}}, 1e-12));
  EXPECT_TRUE(m.covariance.isApprox(Matrix{{2.6875, -0.5625}, {-0.5625, 0.6875}}, 1e-5));
}

}  // namespace
}  // namespace hunch
