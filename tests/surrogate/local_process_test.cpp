// The local form: what it is conditioned on, that it is the dense form's belief given that, and what it
// costs.
#include "hunch/surrogate/local_process.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

// Ripples on a hill, about one sd of the posterior apart, with their gradient.
double ripples(const Vector& z) {
  return -0.5 * z.squaredNorm() + 0.5 * std::sin(2 * z[0]) * z[1];
}

Vector ripples_gradient(const Vector& z) {
  Vector gradient = -z;
  gradient[0] += std::cos(2 * z[0]) * z[1];
  gradient[1] += 0.5 * std::sin(2 * z[0]);
  return gradient;
}

class LocalProcessOf : public testing::TestWithParam<Observes> {
 protected:
  bool with_gradients() const { return GetParam() == Observes::values_and_gradients; }

  Data observed(const Matrix& points) const {
    const Index n = points.cols();
    Data data{points, Vector(n), Matrix(points.rows(), with_gradients() ? n : 0)};
    for (Index i = 0; i < n; ++i) {
      data.values[i] = ripples(points.col(i));
      if (with_gradients()) data.gradients.col(i) = ripples_gradient(points.col(i));
    }
    return data;
  }
  Data scattered(Index n, std::uint32_t stream) const {
    Rng rng({31, stream, 0, Purpose::test});
    return observed(1.2 * rng.normal(3 * n).reshaped(3, n));
  }
  LocalProcess local(const Data& data, Index neighbours) const {
    LocalProcess process(covariance, GetParam(), prior_mean, neighbours);
    process.take(data);
    return process;
  }
  PairBelief dense_pair(const Data& data, const Vector& x, const Vector& y) const {
    return GaussianProcess::condition(covariance, data, prior_mean).pair(x, y);
  }

  const Covariance covariance{CovarianceFamily::squared_exponential, 20, Vector{{0.8, 0.9, 1.5}}};
  const double prior_mean = -4;
};

// Rounding: the two add up in different orders, with matrices whose condition number is near 1e10.
void expect_close(const PairBelief& a, const PairBelief& b, double tolerance) {
  EXPECT_LT((a.mean() - b.mean()).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LT((a.mean(3) - b.mean(3)).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LT((a.covariance - b.covariance).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_EQ(a.prior_mean, b.prior_mean);
}

// Points few enough that none is refused: which are, depends on the order.
TEST_P(LocalProcessOf, EqualsTheDenseProcessWhenItsNeighboursAreAllPoints) {
  const Index n = with_gradients() ? 40 : 120;
  const Data data = scattered(n, 1);
  ASSERT_EQ(GaussianProcess::condition(covariance, data, prior_mean).size(), n);
  const LocalProcess process = local(data, n);
  Rng rng({32, 0, 0, Purpose::test});
  for (int i = 0; i < 20; ++i) {
    const Vector x = rng.normal(3), y = rng.normal(3);
    expect_close(process.pair(x, y), dense_pair(data, x, y), 1e-6);
  }
}

TEST_P(LocalProcessOf, BeliefIsTheDenseOneGivenTheNeighboursOfBothEnds) {
  const Data data = scattered(600, 2);
  const LocalProcess process = local(data, 20);
  Rng rng({33, 0, 0, Purpose::test});
  for (int i = 0; i < 20; ++i) {
    const Vector x = rng.normal(3), y = x + rng.normal(3);
    const std::vector<Index> numbers = process.conditioned_on(x, y);
    expect_close(process.pair(x, y), dense_pair(subset(data, numbers), x, y), 1e-6);
    // Whatever is left out has 20 others nearer to either end, by the covariance's measure.
    std::vector<bool> in(600);
    for (Index number : numbers) in[static_cast<std::size_t>(number)] = true;
    for (const Vector& end : {x, y}) {
      for (Index j = 0; j < 600; ++j) {
        const auto apart = [&](Index k) {
          return (data.points.col(k) - end).cwiseQuotient(covariance.lengthscales).squaredNorm();
        };
        if (in[static_cast<std::size_t>(j)]) continue;
        Index nearer = 0;
        for (Index k = 0; k < 600; ++k) nearer += apart(k) < apart(j);
        ASSERT_GE(nearer, 20);
      }
    }
  }
}

TEST_P(LocalProcessOf, InterpolatesEveryPoint) {
  const Data data = scattered(800, 3);
  const LocalProcess process = local(data, with_gradients() ? 16 : 48);
  for (Index i = 0; i < 800; i += 7) {
    const Vector x = data.points.col(i), y = data.points.col((i + 400) % 800);
    const PairBelief belief = process.pair(x, y);
    const Index half = belief.half();
    EXPECT_NEAR(belief.mean()[0], ripples(x), 1e-4);
    EXPECT_NEAR(belief.mean()[half], ripples(y), 1e-4);
    EXPECT_LT(belief.covariance(0, 0), 1e-6);
    EXPECT_LT(belief.covariance(half, half), 1e-6);
    EXPECT_NEAR(process.predict(x).mean, ripples(x), 1e-4);
    if (with_gradients()) {
      EXPECT_LT((belief.mean().segment(1, 3) - ripples_gradient(x)).norm(), 1e-3);
    }
  }
}

TEST_P(LocalProcessOf, BeliefAboutTheReverseMoveIsTheSameBitsSwapped) {
  const LocalProcess process = local(scattered(500, 4), 17);
  Rng rng({34, 0, 0, Purpose::test});
  for (int i = 0; i < 200; ++i) {
    const Vector x = rng.normal(3), y = x + 0.5 * rng.normal(3);
    const PairBelief forth = process.pair(x, y), back = process.pair(y, x);
    const Index half = forth.half();
    ASSERT_EQ(forth.offset.head(half), back.offset.tail(half));
    ASSERT_EQ(forth.offset.tail(half), back.offset.head(half));
    ASSERT_EQ(forth.slope.head(half), back.slope.tail(half));
    ASSERT_EQ(forth.slope.tail(half), back.slope.head(half));
    ASSERT_EQ(forth.covariance.topLeftCorner(half, half), back.covariance.bottomRightCorner(half, half));
    ASSERT_EQ(forth.covariance.topRightCorner(half, half), back.covariance.bottomLeftCorner(half, half));
  }
}

TEST_P(LocalProcessOf, OrderOfThePointsLeavesNoTraceInAnyBit) {
  const Data data = scattered(700, 5);
  std::vector<Index> order(700);
  for (Index i = 0; i < 700; ++i) order[static_cast<std::size_t>(i)] = (i * 297 + 11) % 700;
  const LocalProcess one = local(data, 20), other = local(subset(data, order), 20);
  Rng rng({35, 0, 0, Purpose::test});
  for (int i = 0; i < 100; ++i) {
    const Vector x = rng.normal(3), y = rng.normal(3);
    ASSERT_EQ(one.pair(x, y).mean(), other.pair(x, y).mean());
    ASSERT_EQ(one.pair(x, y).covariance, other.pair(x, y).covariance);
    ASSERT_EQ(one.predict(x).mean, other.predict(x).mean);
  }
}

// Cost, counted: however many points there are, a belief is conditioned on two times `neighbours` at most.
TEST_P(LocalProcessOf, BeliefIsConditionedOnNoMoreOfManyPointsThanOfFew) {
  for (const Index n : {50, 5000}) {
    const LocalProcess process = local(scattered(n, 6), 12);
    Rng rng({36, 0, 0, Purpose::test});
    for (int i = 0; i < 50; ++i) {
      const auto numbers = process.conditioned_on(rng.normal(3), rng.normal(3));
      EXPECT_LE(numbers.size(), 24u);
      EXPECT_GE(numbers.size(), 12u);
    }
  }
}

TEST_P(LocalProcessOf, FarAwayAndWhereNothingIsANumberThePriorHolds) {
  const LocalProcess process = local(scattered(100, 7), 10);
  const Vector here{{0.1, 0.2, 0.3}};
  for (const Vector& nowhere : {Vector{{500.0, 0.0, 0.0}}, Vector{{std::nan(""), 0.0, 0.0}},
                                Vector{{0.0, infinity, 0.0}}, Vector{{0.0, 0.0, 1e200}}}) {
    const PairBelief belief = process.pair(here, nowhere);
    const Index half = belief.half();
    EXPECT_NEAR(belief.mean()[0], ripples(here), 1);
    EXPECT_DOUBLE_EQ(belief.mean()[half], prior_mean);
    EXPECT_DOUBLE_EQ(belief.covariance(half, half), covariance.signal_variance);
    EXPECT_EQ(belief.covariance(0, half), 0);
    EXPECT_DOUBLE_EQ(process.predict(nowhere).mean, prior_mean);
    EXPECT_DOUBLE_EQ(process.predict(nowhere).variance, covariance.signal_variance);
  }
}

TEST_P(LocalProcessOf, VariancesAndCorrelationsStayWithinTheirBounds) {
  const LocalProcess process = local(scattered(400, 8), 16);
  Rng rng({37, 0, 0, Purpose::test});
  for (int i = 0; i < 100; ++i) {
    const Vector x = 2 * rng.normal(3), y = x + std::pow(10.0, -(i % 8)) * rng.normal(3);
    const Matrix k = process.pair(x, y).covariance;
    ASSERT_TRUE(k.allFinite());
    const Index half = k.rows() / 2;
    EXPECT_GE(k(0, 0), 0);
    EXPECT_LE(k(0, 0), covariance.signal_variance);
    EXPECT_LE(std::abs(k(0, half)), std::sqrt(k(0, 0)) * std::sqrt(k(half, half)) * (1 + 1e-12));
  }
}

TEST_P(LocalProcessOf, RefusedPointChangesNothing) {
  LocalProcess process = local(scattered(60, 9), 10);
  const Vector x{{0.1, 0.2, 0.3}}, slope = Vector::Ones(3);
  ASSERT_EQ(process.append(x, -1, slope), Admission::admitted);
  const Vector before = process.pair(x, x).mean();
  EXPECT_EQ(process.append(x, 5, slope), Admission::refused);
  EXPECT_EQ(process.append(x + Vector::Constant(3, 1e-6), 5, slope), Admission::refused);
  EXPECT_EQ(process.append(Vector{{infinity, 0.0, 0.0}}, 5, slope), Admission::refused);
  EXPECT_EQ(process.append(2 * x, std::nan(""), slope), Admission::refused);
  EXPECT_EQ(process.size(), 61);
  EXPECT_EQ(process.pair(x, x).mean(), before);
  if (with_gradients()) {
    EXPECT_EQ(process.append(2 * x, 5, Vector{{infinity, 0.0, 0.0}}), Admission::refused);
  }
}

TEST_P(LocalProcessOf, NewObservationsReplaceTheOldOnes) {
  const Data data = scattered(300, 10);
  LocalProcess process = local(data, 12);
  const Vector x = data.points.col(17);
  process.set_observations(data.values.array() - 2, data.gradients);
  EXPECT_NEAR(process.pair(x, x).mean()[0], ripples(x) - 2, 1e-3);
  EXPECT_THROW(process.set_observations(data.values.head(299), data.gradients), InputError);
  EXPECT_THROW(process.set_observations(Vector::Constant(300, infinity), data.gradients), InputError);
}

TEST_P(LocalProcessOf, WhatDoesNotFitIsRefusedAtTheDoor) {
  EXPECT_THROW(LocalProcess(covariance, GetParam(), infinity, 10), InputError);
  EXPECT_THROW(LocalProcess(covariance, GetParam(), 0, 0), InputError);
  LocalProcess process(covariance, GetParam(), 0, 10);
  Data wrong = scattered(5, 11);
  wrong.points.conservativeResize(3, 4);
  EXPECT_THROW(process.take(wrong), InputError);
  EXPECT_THROW(process.append(Vector::Zero(2), 0, Vector::Zero(3)), InputError);
}

INSTANTIATE_TEST_SUITE_P(Observing, LocalProcessOf,
                         testing::Values(Observes::values, Observes::values_and_gradients),
                         [](const auto& kind) {
                           return kind.param == Observes::values ? "values" : "values_and_gradients";
                         });

// Points that the earlier ones tell already: a neighbourhood is conditioned as if they were not there.
TEST(LocalProcess, LeavesOutWhatNearerPointsTell) {
  const Covariance covariance{CovarianceFamily::matern52, 7, Vector{{0.7, 1.1}}};
  Rng rng({41, 0, 0, Purpose::test});
  Data data{rng.normal(2 * 70).reshaped(2, 70), Vector(70)};
  for (const Index i : {3, 20, 21, 69})
    data.points.col(i) = data.points.col(i / 2) + Vector::Constant(2, 1e-9);
  for (Index i = 0; i < 70; ++i) data.values[i] = ripples(data.points.col(i));
  LocalProcess local(covariance, Observes::values, 1.5, 70);
  local.take(data);
  const GaussianProcess dense = GaussianProcess::condition(covariance, data, 1.5);
  ASSERT_EQ(dense.size(), 66);
  for (int i = 0; i < 20; ++i) {
    const Vector x = rng.normal(2), y = rng.normal(2);
    expect_close(local.pair(x, y), dense.pair(x, y), 1e-6);
    EXPECT_NEAR(local.predict(x).mean, dense.predict(x).mean, 1e-6);
    EXPECT_NEAR(local.predict(x).variance, dense.predict(x).variance, 1e-8);
  }
}

TEST(LocalProcess, WithoutPointsThePriorHolds) {
  const LocalProcess nothing({CovarianceFamily::squared_exponential, 7, Vector{{0.7, 1.1}}}, Observes::values,
                             1.5, 10);
  const PairBelief belief = nothing.pair(Vector::Zero(2), Vector::Zero(2));
  EXPECT_EQ(belief.mean(), Vector::Constant(2, 1.5));
  EXPECT_EQ(belief.covariance, Matrix::Constant(2, 2, 7.0));
}

}  // namespace
}  // namespace hunch
