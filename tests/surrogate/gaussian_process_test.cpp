#include "hunch/surrogate/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

const std::vector<CovarianceFamily> families = {CovarianceFamily::squared_exponential,
                                                CovarianceFamily::matern52};

Data smooth_data(Index d, Index n, std::uint64_t seed) {
  Rng rng({seed, 0, 0, Purpose::test});
  Data data{Matrix(d, n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    data.points.col(i) = rng.normal(d);
    data.values(i) = -100 - 3 * data.points.col(i).squaredNorm() + std::sin(2 * data.points(0, i));
  }
  return data;
}

Covariance covariance_of(CovarianceFamily family, Index d) {
  return {family, 37.0, Vector::LinSpaced(d, 0.7, 1.6)};
}

long double correlation(CovarianceFamily family, long double s) {
  if (family == CovarianceFamily::squared_exponential) return std::exp(-s / 2);
  const long double r = std::sqrt(5 * s);
  return (1 + r + r * r / 3) * std::exp(-r);
}

LongMatrix long_covariance(const Covariance& covariance, const Matrix& a, const Matrix& b) {
  LongMatrix k(a.cols(), b.cols());
  for (Index i = 0; i < a.cols(); ++i) {
    for (Index j = 0; j < b.cols(); ++j) {
      long double s = 0;
      for (Index c = 0; c < a.rows(); ++c) {
        const long double t = (static_cast<long double>(a(c, i)) - b(c, j)) /
                              static_cast<long double>(covariance.lengthscales(c));
        s += t * t;
      }
      k(i, j) = covariance.signal_variance * correlation(covariance.family, s);
    }
  }
  return k;
}

// The textbook formulas, in long double, with the same jitter.
struct Reference {
  LongVector means;
  LongMatrix covariance;

  Reference(const Covariance& c, const Data& data, double m, const Matrix& zs) {
    LongMatrix k = long_covariance(c, data.points, data.points);
    k.diagonal().array() += 1e-10L * c.signal_variance;
    const LongMatrix cross = long_covariance(c, data.points, zs);
    const Eigen::LLT<LongMatrix> llt(k);
    const LongVector residuals = data.values.cast<long double>().array() - static_cast<long double>(m);
    means = (cross.transpose() * llt.solve(residuals)).array() + static_cast<long double>(m);
    covariance = long_covariance(c, zs, zs) - cross.transpose() * llt.solve(cross);
  }
};

TEST(GaussianProcess, AgreesWithLongDoubleReference) {
  for (const auto family : families) {
    for (Index n : {1, 5, 63, 64, 65, 130}) {
      const Data data = smooth_data(4, n, 11);
      const Covariance c = covariance_of(family, 4);
      const auto process = GaussianProcess::condition(c, data, -104.5);
      ASSERT_EQ(process.size(), n);
      const Matrix zs = smooth_data(4, 20, 12).points;
      const Reference reference(c, data, -104.5, zs);
      for (Index j = 0; j < zs.cols(); ++j) {
        const auto [mean, variance] = process.predict(zs.col(j));
        EXPECT_NEAR(mean, static_cast<double>(reference.means(j)), 1e-8);
        EXPECT_NEAR(variance, static_cast<double>(reference.covariance(j, j)), 1e-12 * 37);
      }
    }
  }
}

TEST(GaussianProcess, PairIsThePredictiveCovariance) {
  for (const auto family : families) {
    const Data data = smooth_data(3, 70, 21);
    const Covariance c = covariance_of(family, 3);
    const auto process = GaussianProcess::condition(c, data, -100);
    const Matrix zs = smooth_data(3, 10, 22).points;
    const Reference reference(c, data, -100, zs);
    for (Index j = 1; j < zs.cols(); ++j) {
      const PairBelief belief = process.pair(zs.col(j - 1), zs.col(j));
      EXPECT_NEAR(belief.covariance(0, 1), static_cast<double>(reference.covariance(j - 1, j)), 1e-11 * 37);
      EXPECT_EQ(belief.covariance(0, 1), belief.covariance(1, 0));
      EXPECT_EQ(belief.covariance(1, 1), process.predict(zs.col(j)).variance);
      EXPECT_DOUBLE_EQ(belief.mean()(0), process.predict(zs.col(j - 1)).mean);
      EXPECT_NEAR(belief.mean()(1), static_cast<double>(reference.means(j)), 1e-8);
    }
  }
}

TEST(GaussianProcess, PairTakesAnyPriorMean) {
  const Data data = smooth_data(2, 30, 23);
  const Covariance c = covariance_of(CovarianceFamily::squared_exponential, 2);
  const auto process = GaussianProcess::condition(c, data, -100);
  const Matrix zs = smooth_data(2, 2, 24).points * 2;
  const Reference reference(c, data, -63.0, zs);
  const Vector mean = process.pair(zs.col(0), zs.col(1)).mean(-63.0);
  EXPECT_NEAR(mean(0), static_cast<double>(reference.means(0)), 1e-8);
  EXPECT_NEAR(mean(1), static_cast<double>(reference.means(1)), 1e-8);
}

TEST(GaussianProcess, SwappedPairIsTheSameBits) {
  const Data data = smooth_data(3, 91, 31);
  for (const auto family : families) {
    const auto process = GaussianProcess::condition(covariance_of(family, 3), data, -100);
    const Matrix zs = smooth_data(3, 20, 32).points;
    for (Index j = 1; j < zs.cols(); ++j) {
      const PairBelief there = process.pair(zs.col(j - 1), zs.col(j));
      const PairBelief back = process.pair(zs.col(j), zs.col(j - 1));
      EXPECT_EQ(there.offset, Vector(back.offset.reverse()));
      EXPECT_EQ(there.slope, Vector(back.slope.reverse()));
      EXPECT_EQ(there.covariance, Matrix(back.covariance.reverse()));
    }
  }
}

TEST(GaussianProcess, PairCovarianceIsValidEvenAtTrainingPoints) {
  const Data data = smooth_data(2, 60, 33);
  const auto process = GaussianProcess::condition(covariance_of(families[0], 2), data, -100);
  for (Index i = 1; i < process.size(); ++i) {
    const Matrix c = process.pair(data.points.col(i), data.points.col(i - 1)).covariance;
    EXPECT_GE(c(0, 0), 0);
    EXPECT_GE(c(1, 1), 0);
    EXPECT_LE(std::abs(c(0, 1)), std::sqrt(c(0, 0)) * std::sqrt(c(1, 1)));
  }
}

TEST(GaussianProcess, AppendEqualsConditioning) {
  for (const auto family : families) {
    const Data data = smooth_data(3, 150, 41);
    const Covariance c = covariance_of(family, 3);
    const auto whole = GaussianProcess::condition(c, data, -105);
    GaussianProcess grown(c, Observes::values, -105);
    for (Index i = 0; i < 150; ++i) grown.append(data.points.col(i), data.values(i));
    EXPECT_EQ(whole.size(), grown.size());
    const Matrix zs = smooth_data(3, 30, 42).points;
    const Vector means = whole.joint(zs).means - grown.joint(zs).means;
    const Vector functions = whole.mean_function().values(zs) - grown.mean_function().values(zs);
    EXPECT_LT(means.cwiseAbs().maxCoeff(), 1e-9 * 100);
    EXPECT_LT(functions.cwiseAbs().maxCoeff(), 1e-9 * 100);
    EXPECT_LT((whole.variances(zs) - grown.variances(zs)).cwiseAbs().maxCoeff(), 1e-9 * 37);
  }
}

TEST(GaussianProcess, InterpolatesWithoutVariance) {
  const Data data = smooth_data(3, 100, 51);
  const auto process = GaussianProcess::condition(covariance_of(families[0], 3), data, -100);
  // The jitter moves the mean by relative_jitter * signal_variance * (K^-1 y)_i, and leaves that variance.
  EXPECT_LT((process.mean_function().values(data.points) - data.values).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((process.joint(data.points).means - data.values).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT(process.variances(data.points).maxCoeff(), 1.01e-10 * 37);
}

TEST(GaussianProcess, NewValuesEqualAFreshStart) {
  const Data data = smooth_data(3, 80, 61);
  const Covariance c = covariance_of(CovarianceFamily::matern52, 3);
  auto process = GaussianProcess::condition(c, data, -95);
  const Vector clipped = data.values.cwiseMax(-110);
  process.set_observations(clipped);
  const auto fresh = GaussianProcess::condition(c, {data.points, clipped}, -95);
  const Matrix zs = smooth_data(3, 30, 62).points;
  EXPECT_EQ(process.joint(zs).means, fresh.joint(zs).means);
  EXPECT_EQ(process.variances(zs), fresh.variances(zs));
  EXPECT_EQ(process.mean_function().values(zs), fresh.mean_function().values(zs));
}

TEST(GaussianProcess, LargeConstantInTheValuesCostsNoPrecision) {
  const Data data = smooth_data(3, 100, 63);
  const Covariance c = covariance_of(CovarianceFamily::squared_exponential, 3);
  const Vector raised =
      data.values.array() + 1048576.0;  // a power of two: the differences stay exact to 2^-33
  const auto low = GaussianProcess::condition(c, data, -100);
  const auto high = GaussianProcess::condition(c, {data.points, raised}, -100 + 1048576.0);
  const Matrix zs = smooth_data(3, 30, 64).points;
  EXPECT_LT((low.joint(zs).means.array() + 1048576.0 - high.joint(zs).means.array()).abs().maxCoeff(), 1e-4);
  EXPECT_LT((low.mean_function().values(zs).array() + 1048576.0 - high.mean_function().values(zs).array())
                .abs()
                .maxCoeff(),
            1e-4);
}

TEST(GaussianProcess, BatchEqualsOneByOne) {
  const Data data = smooth_data(4, 100, 71);
  for (const auto family : families) {
    const auto process = GaussianProcess::condition(covariance_of(family, 4), data, -100);
    const Matrix zs = smooth_data(4, 130, 72).points;
    const MeanFunction function = process.mean_function();
    const Vector means = function.values(zs), variances = process.variances(zs);
    GaussianProcess::Workspace room;
    for (Index j = 0; j < zs.cols(); ++j) {
      const auto [mean, variance] = process.predict(zs.col(j));
      EXPECT_NEAR(means(j), mean, 1e-10 * 100);
      EXPECT_NEAR(variances(j), variance, 1e-13 * 37);
      EXPECT_EQ(means(j), function.value(zs.col(j), room));
      EXPECT_EQ(process.variance(zs.col(j), room), variance);
    }
  }
}

TEST(GaussianProcess, MeanGradientIsTheSlopeOfTheMean) {
  for (const auto family : families) {
    const Data data = smooth_data(3, 60, 81);
    const auto function = GaussianProcess::condition(covariance_of(family, 3), data, -90).mean_function();
    GaussianProcess::Workspace room;
    const auto mean = [&](const Vector& z) { return function.value(z, room); };
    Vector gradient;
    const Matrix zs = smooth_data(3, 10, 82).points;
    for (Index j = 0; j < zs.cols(); ++j) {
      EXPECT_NEAR(function.value_and_gradient(zs.col(j), gradient, room), mean(zs.col(j)), 1e-9 * 100);
      for (Index c = 0; c < 3; ++c) {
        const double h = 1e-4;
        const Vector step = h * Vector::Unit(3, c);
        const Vector z = zs.col(j);
        const double slope =
            (8 * (mean(z + step) - mean(z - step)) - (mean(z + 2 * step) - mean(z - 2 * step))) / (12 * h);
        EXPECT_NEAR(gradient(c), slope, 1e-6 * (1 + std::abs(slope)));
      }
    }
  }
}

TEST(GaussianProcess, RefusesWhatItAlreadyKnows) {
  const Data data = smooth_data(2, 40, 91);
  auto process = GaussianProcess::condition(covariance_of(families[0], 2), data, -100);
  const Index before = process.size();
  const Vector z = data.points.col(3);
  const double mean = process.predict(Vector::Zero(2)).mean;
  EXPECT_EQ(process.append(z, 5.0), Admission::refused);
  EXPECT_EQ(process.append(z + Vector::Constant(2, 1e-9), 5.0), Admission::refused);
  EXPECT_EQ(process.append(Vector::Constant(2, std::nan("")), 5.0), Admission::refused);
  EXPECT_EQ(process.append(Vector::Constant(2, 3.0), infinity), Admission::refused);
  EXPECT_EQ(process.size(), before);
  EXPECT_EQ(process.predict(Vector::Zero(2)).mean, mean);
  EXPECT_EQ(process.append(Vector::Constant(2, 4.0), -150.0), Admission::admitted);
  EXPECT_EQ(process.size(), before + 1);
}

TEST(GaussianProcess, ConditioningSkipsDuplicatesInOrder) {
  const Data data = smooth_data(3, 100, 92);
  Data doubled{Matrix(3, 200), Vector(200)};
  for (Index i = 0; i < 200; ++i) {
    doubled.points.col(i) = data.points.col(i / 2);
    doubled.values(i) = data.values(i / 2) + (i % 2);
  }
  doubled.points(1, 10) = infinity;
  const Covariance c = covariance_of(CovarianceFamily::matern52, 3);
  const auto process = GaussianProcess::condition(c, doubled, -100);
  ASSERT_EQ(process.size(), 100);
  // Of each two the first, but where that was not finite.
  Data kept = data;
  kept.values(5) += 1;
  const auto expected = GaussianProcess::condition(c, kept, -100);
  const Matrix zs = smooth_data(3, 30, 95).points;
  EXPECT_LT((process.joint(zs).means - expected.joint(zs).means).cwiseAbs().maxCoeff(), 1e-9 * 100);
  EXPECT_LT((process.variances(zs) - expected.variances(zs)).cwiseAbs().maxCoeff(), 1e-9 * 37);
}

TEST(GaussianProcess, ReturnsThePriorWhereItKnowsNothing) {
  for (const auto family : families) {
    const Covariance c = covariance_of(family, 2);
    const Data data = smooth_data(2, 20, 93);
    const GaussianProcess empty(c, Observes::values, -7);
    const auto full = GaussianProcess::condition(c, data, -7);
    const Vector far = Vector::Constant(2, 1e300);
    const Vector bad = Vector::Constant(2, std::nan(""));
    for (const auto& [process, z] : {std::pair{empty, Vector(Vector::Zero(2))},
                                     {full, far},
                                     {full, bad},
                                     {full, Vector(-infinity * Vector::Ones(2))}}) {
      EXPECT_EQ(process.predict(z).mean, -7);
      EXPECT_EQ(process.predict(z).variance, 37);
      const MeanFunction function = process.mean_function();
      GaussianProcess::Workspace room;
      Vector gradient;
      EXPECT_EQ(function.value(z, room), -7);
      EXPECT_EQ(function.values(z)[0], -7);
      EXPECT_EQ(function.value_and_gradient(z, gradient, room), -7);
      EXPECT_EQ(gradient, Vector::Zero(2));
      EXPECT_EQ(process.variances(z)[0], 37);
      const PairBelief belief = process.pair(z, Vector::Zero(2));
      EXPECT_EQ(belief.mean()(0), -7);
      EXPECT_TRUE(belief.covariance.allFinite());
    }
  }
}

TEST(GaussianProcess, CopiesDoNotShareTheirFuture) {
  const Data data = smooth_data(2, 20, 94);
  const auto before = GaussianProcess::condition(covariance_of(families[0], 2), data, -100);
  GaussianProcess after = before;
  const Vector z = Vector::Constant(2, 2.5);
  const double mean = before.predict(z).mean;
  ASSERT_EQ(after.append(z, -120.0), Admission::admitted);
  EXPECT_EQ(before.predict(z).mean, mean);
  EXPECT_NEAR(after.predict(z).mean, -120.0, 1e-6);
}

TEST(GaussianProcess, RefusesShapesThatDoNotFit) {
  const Observes values = Observes::values;
  GaussianProcess process(covariance_of(families[0], 2), values);
  EXPECT_THROW(process.predict(Vector::Zero(3)), InputError);
  EXPECT_THROW(process.pair(Vector::Zero(2), Vector::Zero(3)), InputError);
  EXPECT_THROW(process.append(Vector::Zero(3), 0), InputError);
  EXPECT_THROW(process.set_observations(Vector::Zero(1)), InputError);
  EXPECT_THROW(GaussianProcess({families[0], -1.0, Vector::Ones(2)}, values), InputError);
  EXPECT_THROW(GaussianProcess({families[0], 1.0, Vector::Zero(2)}, values), InputError);
  EXPECT_THROW(GaussianProcess(covariance_of(families[0], 2), values, std::nan("")), InputError);
}

}  // namespace
}  // namespace hunch
