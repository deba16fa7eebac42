// Ten thousand hostile training sets: whatever they are, beliefs are finite and variances are not negative.
#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/surrogate/fit.hpp"
#include "hunch/surrogate/gaussian_process.hpp"

namespace hunch {
namespace {

double log_uniform(Rng& rng, double low, double high) {
  return low * std::exp(rng.uniform() * std::log(high / low));
}

struct TrainingSet {
  Covariance covariance;
  Matrix points;
  Vector values;
};

Index some_size(Rng& rng) {
  const double u = rng.uniform();
  if (u < 0.9) return static_cast<Index>(rng.below(20));
  if (u < 0.98) return static_cast<Index>(rng.below(100));
  return static_cast<Index>(100 + rng.below(401));
}

// Clusters at any spacing from 1e-12 to 1e6, exact and near duplicates, coordinates shared by all points,
// values over up to 1e8 nats, and now and then something that is not a number at all.
TrainingSet hostile_set(Rng& rng) {
  const Index d = 1 + static_cast<Index>(rng.below(20));
  const Index n = some_size(rng);
  const auto family =
      rng.uniform() < 0.5 ? CovarianceFamily::squared_exponential : CovarianceFamily::matern52;
  TrainingSet set{{family, log_uniform(rng, 1e-6, 1e16), Vector(d)}, Matrix(d, n), Vector(n)};
  for (Index k = 0; k < d; ++k) set.covariance.lengthscales(k) = log_uniform(rng, 1e-3, 1e3);
  const double spacing = log_uniform(rng, 1e-12, 1e6);
  const double range = log_uniform(rng, 1e-3, 1e8);
  const double centre = rng.uniform() < 0.5 ? 0 : 1e3 * rng.normal();
  for (Index i = 0; i < n; ++i) {
    const double u = rng.uniform();
    set.points.col(i) = spacing * rng.normal(d).array() + centre;
    if (i > 0 && u < 0.2)
      set.points.col(i) = set.points.col(static_cast<Index>(rng.below(static_cast<std::uint64_t>(i))));
    if (i > 0 && u < 0.1) set.points.col(i) += log_uniform(rng, 1e-12, 1e-6) * rng.normal(d);
    set.values(i) = -range * rng.uniform();
    if (u > 0.99) set.values(i) = rng.uniform() < 0.5 ? std::nan("") : -infinity;
    if (u > 0.98 && u < 0.99) set.points(0, i) = rng.uniform() < 0.5 ? std::nan("") : infinity;
  }
  return set;
}

Vector hostile_query(Rng& rng, const TrainingSet& set) {
  const Index d = set.points.rows();
  const double u = rng.uniform();
  if (u < 0.3 && set.points.cols() > 0) return set.points.col(0);
  if (u < 0.4) return Vector::Constant(d, std::nan(""));
  if (u < 0.5) return infinity * rng.normal(d);
  if (u < 0.6) return 1e308 * rng.normal(d);
  return log_uniform(rng, 1e-6, 1e6) * rng.normal(d);
}

void expect_sound(const GaussianProcess& process, const Vector& x, const Vector& y) {
  const double most = process.covariance().signal_variance;
  const auto [mean, variance] = process.predict(x);
  ASSERT_TRUE(std::isfinite(mean));
  ASSERT_GE(variance, 0);
  ASSERT_LE(variance, most);
  const MeanFunction function = process.mean_function();
  GaussianProcess::Workspace room;
  Vector gradient;
  ASSERT_TRUE(std::isfinite(function.value_and_gradient(x, gradient, room)));
  ASSERT_TRUE(gradient.allFinite());
  const PairBelief belief = process.pair(x, y);
  ASSERT_TRUE(belief.offset.allFinite() && belief.slope.allFinite() && belief.covariance.allFinite());
  ASSERT_GE(belief.covariance.diagonal().minCoeff(), 0);
  const double limit = std::sqrt(belief.covariance(0, 0)) * std::sqrt(belief.covariance(1, 1));
  ASSERT_LE(std::abs(belief.covariance(0, 1)), limit);
  if (!x.allFinite()) {
    ASSERT_EQ(mean, process.prior_mean());
    ASSERT_EQ(variance, most);
  }
}

TEST(Torture, NoTrainingSetMakesABeliefThatIsNotOne) {
  Index admitted = 0;
  Index refused = 0;
  for (std::uint64_t trial = 0; trial < 10000; ++trial) {
    SCOPED_TRACE(trial);
    Rng rng({20240607, 0, trial, Purpose::test});
    TrainingSet set = hostile_set(rng);
    const Index start = set.points.cols() / 2;
    auto process = GaussianProcess::condition(
        set.covariance, {set.points.leftCols(start), set.values.head(start)}, -rng.uniform() * 100);
    for (Index i = start; i < set.points.cols(); ++i) process.append(set.points.col(i), set.values(i));
    admitted += process.size();
    refused += set.points.cols() - process.size();
    for (int q = 0; q < 3; ++q) {
      const Vector x = hostile_query(rng, set);
      const Vector y = rng.uniform() < 0.2 ? x : hostile_query(rng, set);
      ASSERT_NO_FATAL_FAILURE(expect_sound(process, x, y));
    }
    Matrix zs(set.points.rows(), 6);
    for (Index j = 0; j < 6; ++j) zs.col(j) = hostile_query(rng, set);
    ASSERT_TRUE(process.mean_function().values(zs).allFinite());
    ASSERT_TRUE(process.joint(zs).means.allFinite());
    ASSERT_TRUE(process.variances(zs).allFinite());
    ASSERT_GE(process.variances(zs).minCoeff(), 0);
  }
  EXPECT_GT(admitted, 50000);  // the sets are hostile, not empty: both paths are walked
  EXPECT_GT(refused, 20000);
}

TEST(Torture, FittingNeverThrowsAndIsAlwaysUsable) {
  for (std::uint64_t trial = 0; trial < 600; ++trial) {
    SCOPED_TRACE(trial);
    Rng rng({20240608, 0, trial, Purpose::test});
    const TrainingSet set = hostile_set(rng);
    StationaryFit options;
    options.most_points = 60;
    const FitResult result =
        fit_stationary({set.points, set.values}, set.covariance.family, set.covariance, options);
    ASSERT_NO_THROW(validate(result.covariance));
    ASSERT_TRUE(std::isfinite(result.prior_mean));
    const auto process =
        GaussianProcess::condition(result.covariance, {set.points, set.values}, result.prior_mean);
    ASSERT_NO_FATAL_FAILURE(expect_sound(process, hostile_query(rng, set), hostile_query(rng, set)));
  }
}

}  // namespace
}  // namespace hunch
