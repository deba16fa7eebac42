#include "hunch/diagnostics/convergence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/diagnostics/autocovariance.hpp"
#include "hunch/diagnostics/pooled.hpp"
#include "hunch/diagnostics/ranks.hpp"

namespace hunch {
namespace {

Matrix noise(Index draws, Index chains, std::uint64_t seed) {
  Matrix x(draws, chains);
  for (Index c = 0; c < chains; ++c)
    x.col(c) = Rng({seed, static_cast<std::uint32_t>(c), 0, Purpose::test}).normal(draws);
  return x;
}

Vector direct_autocovariance(const Matrix& x) {
  const Index n = x.rows();
  Vector out = Vector::Zero(n);
  for (Index c = 0; c < x.cols(); ++c) {
    const Vector y = x.col(c).array() - x.col(c).mean();
    for (Index lag = 0; lag < n; ++lag) out[lag] += y.head(n - lag).dot(y.tail(n - lag));
  }
  return out / static_cast<double>(n * x.cols());
}

TEST(Autocovariance, TransformEqualsTheDirectSumAtEveryLag) {
  for (const Index n : {1, 2, 3, 5, 8, 16, 17, 31, 100, 257}) {
    const Matrix x = 5 + 2 * noise(n, 3, 11).array();
    const Vector fast = mean_autocovariance(x);
    ASSERT_EQ(fast.size(), n);
    EXPECT_LT((fast - direct_autocovariance(x)).cwiseAbs().maxCoeff(), 1e-13) << "n = " << n;
  }
}

TEST(Autocovariance, MotionlessChainHasExactlyNone) {
  EXPECT_TRUE((mean_autocovariance(Matrix::Constant(1000, 2, 0.1)).array() == 0).all());
}

TEST(Ranks, TiesShareTheirAverageRank) {
  Matrix x(5, 1);
  x << 2, 1, 2, 7, 2;
  const Matrix z = normal_scores(x);
  EXPECT_DOUBLE_EQ(z(0), 0.0);  // ranks 2, 3, 4 average to the middle one
  EXPECT_EQ(z(0), z(2));
  EXPECT_EQ(z(0), z(4));
  EXPECT_DOUBLE_EQ(z(1), normal_quantile(0.625 / 5.25));
  EXPECT_DOUBLE_EQ(z(3), normal_quantile(4.625 / 5.25));
}

TEST(Ranks, OddChainLosesItsMiddleDrawOnly) {
  Matrix x(5, 2), expected(2, 4);
  x << 1, 6, 2, 7, 3, 8, 4, 9, 5, 10;
  expected << 1, 6, 4, 9, 2, 7, 5, 10;
  EXPECT_EQ(split_chains(x), expected);
}

TEST(Pooled, QuantileAtAWholeIndexIsThatDrawExactly) {
  for (const Index twentieths : {1, 3, 50, 999}) {
    const Vector x = noise(20 * twentieths + 1, 1, 5);
    Vector sorted = x;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(quantile(x, 0.05), sorted[twentieths]);
    EXPECT_EQ(quantile(x, 0.95), sorted[19 * twentieths]);
  }
}

TEST(Pooled, QuantileBetweenEqualDrawsIsNoOtherNumber) {
  const Vector values = noise(200, 1, 6);
  for (const double value : values)
    for (int percent = 0; percent <= 100; ++percent)
      EXPECT_EQ(quantile(Vector::Constant(50, value), percent / 100.0), value) << percent;
}

TEST(Pooled, ManyEqualDrawsHaveExactlyTheirMeanAndNoSpread) {
  const Vector x = Vector::Constant(1000000, 0.1);
  EXPECT_EQ(mean(x), 0.1);
  EXPECT_EQ(sd(x), 0.0);
}

TEST(Rhat, MotionlessChainsApartAreInfinitelyBad) {
  Matrix x(20, 4);
  x.rowwise() = Eigen::RowVector4d(1, 2, 3.3, 4.7);
  EXPECT_EQ(rhat(x), infinity);
  EXPECT_EQ(rhat_basic(x), infinity);
}

TEST(Rhat, TooFewDrawsGiveNoVerdict) {
  for (const Index draws : {0, 1, 2, 3}) {
    EXPECT_FALSE(rhat(noise(draws, 4, 3)).has_value()) << draws;
    EXPECT_FALSE(rhat_basic(noise(draws, 4, 3)).has_value()) << draws;
  }
  EXPECT_TRUE(rhat(noise(4, 4, 3)).has_value());
}

TEST(Ess, TooFewDrawsGiveNoVerdict) {
  for (const Index draws : {0, 1, 2, 3, 4, 5}) {
    const Matrix x = noise(draws, 4, 3);
    for (const auto& value : {ess_bulk(x), ess_tail(x), ess_mean(x), ess_sd(x), ess_squares(x), mcse_mean(x),
                              mcse_sd(x), ess_quantile(x, 0.5), mcse_quantile(x, 0.5)})
      EXPECT_FALSE(value.has_value()) << draws;
  }
  EXPECT_TRUE(ess_mean(noise(6, 4, 3)).has_value());
}

TEST(Ess, NoChainsAtAllGiveNoVerdict) {
  const Matrix none(10, 0);
  EXPECT_FALSE(rhat(none).has_value());
  EXPECT_FALSE(ess_tail(none).has_value());
  EXPECT_FALSE(mcse_sd(none).has_value());
  EXPECT_FALSE(mean(none).has_value());
}

TEST(Ess, ProbabilityOutsideTheUnitIntervalIsRefused) {
  EXPECT_THROW(ess_quantile(noise(20, 2, 1), 1.5), std::logic_error);
  EXPECT_THROW(quantile(noise(20, 2, 1), std::numeric_limits<double>::quiet_NaN()), std::logic_error);
}

}  // namespace
}  // namespace hunch
