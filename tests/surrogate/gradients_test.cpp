// Values and gradients together.

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/surrogate/gaussian_process.hpp"

namespace hunch {
namespace {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

const CovarianceFamily families[] = {CovarianceFamily::squared_exponential, CovarianceFamily::matern52};

Rng stream(std::uint64_t number) {
  return Rng({20, 0, number, Purpose::test});
}

struct Case {
  Covariance covariance;
  Matrix points;
  Vector values;
  Matrix gradients;

  Data data() const { return {points, values, gradients}; }
};

// f(z) = sum_j sin(z_j + j) + z_1 z_d / 4, and its gradient, at random points; unequal lengthscales.
Case smooth_data(CovarianceFamily family, Index d, Index n, std::uint64_t number) {
  Rng rng = stream(number);
  Case data{{family, 2.5, Vector::LinSpaced(d, 0.8, 1.7)}, Matrix(d, n), Vector::Zero(n), Matrix(d, n)};
  for (Index i = 0; i < n; ++i) {
    const Vector z = 1.5 * rng.normal(d);
    data.points.col(i) = z;
    for (Index j = 0; j < d; ++j) {
      const double shift = static_cast<double>(j);
      data.values(i) += std::sin(z(j) + shift);
      data.gradients(j, i) = std::cos(z(j) + shift);
    }
    data.values(i) += z(0) * z(d - 1) / 4;
    data.gradients(0, i) += z(d - 1) / 4;
    data.gradients(d - 1, i) += z(0) / 4;
  }
  return data;
}

// With no point at all there is nothing to see that gradients are observed by.
GaussianProcess conditioned(const Case& data, double prior_mean) {
  if (data.values.size() == 0)
    return GaussianProcess(data.covariance, Observes::values_and_gradients, prior_mean);
  return GaussianProcess::condition(data.covariance, data.data(), prior_mean);
}

double mean(const GaussianProcess& process, const Vector& z) {
  GaussianProcess::Workspace room;
  return process.mean_function().value(z, room);
}

Vector mean_gradient(const GaussianProcess& process, const Vector& z) {
  GaussianProcess::Workspace room;
  Vector gradient;
  process.mean_function().value_and_gradient(z, gradient, room);
  return gradient;
}

Real scaled_square(const Covariance& covariance, const RealVector& u) {
  Real s = 0;
  for (Index j = 0; j < u.size(); ++j) s += std::pow(u(j) / covariance.lengthscales(j), 2);
  return s;
}

// k(x, z) written out anew, in extended precision.
Real naive_covariance(const Covariance& covariance, const RealVector& x, const RealVector& z) {
  const Real s = scaled_square(covariance, x - z);
  if (covariance.family == CovarianceFamily::squared_exponential) {
    return covariance.signal_variance * std::exp(-s / 2);
  }
  const Real r = std::sqrt(5 * s);
  return covariance.signal_variance * (1 + r + r * r / 3) * std::exp(-r);
}

// d+1 x d+1 covariance of (f, g) at x with (f, g) at z in original units, in extended precision.
RealMatrix naive_block(const Covariance& covariance, const RealVector& x, const RealVector& z) {
  const Index d = x.size();
  const RealVector u = x - z;
  const Real s = scaled_square(covariance, u);
  const Real r = std::sqrt(5 * s);
  const bool smooth = covariance.family == CovarianceFamily::squared_exponential;
  const Real d1 = smooth ? -std::exp(-s / 2) / 2 : -5 * (1 + r) * std::exp(-r) / 6;
  const Real d2 = smooth ? std::exp(-s / 2) / 4 : 25 * std::exp(-r) / 12;
  RealMatrix block(d + 1, d + 1);
  block(0, 0) = naive_covariance(covariance, x, z);
  for (Index j = 0; j < d; ++j) {
    const Real lj = std::pow(static_cast<Real>(covariance.lengthscales(j)), 2);
    block(0, j + 1) = -2 * covariance.signal_variance * d1 * u(j) / lj;
    block(j + 1, 0) = -block(0, j + 1);
    for (Index k = 0; k < d; ++k) {
      const Real lk = std::pow(static_cast<Real>(covariance.lengthscales(k)), 2);
      block(j + 1, k + 1) = -4 * covariance.signal_variance * d2 * u(j) * u(k) / lj / lk;
      if (j == k) block(j + 1, k + 1) -= 2 * covariance.signal_variance * d1 / lj;
    }
  }
  return block;
}

struct NaivePair {
  Vector mean;
  Matrix covariance;
};

RealMatrix naive_joint(const Covariance& covariance, const Matrix& left, const Matrix& right) {
  const Index h = left.rows() + 1;
  RealMatrix joint(h * left.cols(), h * right.cols());
  for (Index i = 0; i < left.cols(); ++i) {
    for (Index j = 0; j < right.cols(); ++j) {
      joint.block(i * h, j * h, h, h) =
          naive_block(covariance, left.col(i).cast<Real>(), right.col(j).cast<Real>());
    }
  }
  return joint;
}

NaivePair naive_pair(const Case& data, const Vector& x, const Vector& y, double prior_mean, double jitter) {
  const Index d = data.points.rows();
  Matrix ends(d, 2);
  ends << x, y;
  RealMatrix k = naive_joint(data.covariance, data.points, data.points);
  k.diagonal() *= 1 + static_cast<Real>(jitter);
  const RealMatrix cross = naive_joint(data.covariance, data.points, ends);
  RealVector residual(k.rows());
  for (Index i = 0; i < data.values.size(); ++i) {
    residual(i * (d + 1)) = static_cast<Real>(data.values(i)) - prior_mean;
    residual.segment(i * (d + 1) + 1, d) = data.gradients.col(i).cast<Real>();
  }
  const Eigen::LDLT<RealMatrix> solver(k);
  RealVector mean = cross.transpose() * solver.solve(residual);
  mean(0) += prior_mean;
  mean(d + 1) += prior_mean;
  const RealMatrix covariance =
      naive_joint(data.covariance, ends, ends) - cross.transpose() * solver.solve(cross);
  return {mean.cast<double>(), covariance.cast<double>()};
}

// Cholesky-free check that nothing in a belief is a lie of arithmetic.
void expect_sound(const PairBelief& belief) {
  ASSERT_TRUE(belief.offset.allFinite());
  ASSERT_TRUE(belief.slope.allFinite());
  ASSERT_TRUE(belief.covariance.allFinite());
  ASSERT_TRUE((belief.covariance.diagonal().array() >= 0).all());
  for (Index i = 0; i < belief.covariance.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      ASSERT_EQ(belief.covariance(i, j), belief.covariance(j, i));
      const double bound = std::sqrt(belief.covariance(i, i)) * std::sqrt(belief.covariance(j, j));
      ASSERT_LE(std::abs(belief.covariance(i, j)), bound * (1 + 1e-14));
    }
  }
}

TEST(ValuesAndGradients, AreTheDerivativesOfTheCovariance) {
  const Real h = 1e-4L;
  for (CovarianceFamily family : families) {
    const Covariance unit{family, 1, Vector::Ones(3)};
    Rng rng = stream(1);
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Vector x = rng.normal(3);
      const Vector z = rng.normal(3);
      const Matrix block = covariance_between(unit, x, z, 4);
      const auto at = [&](Index j, Real dx, Index k, Real dz) {
        RealVector moved_x = x.cast<Real>();
        RealVector moved_z = z.cast<Real>();
        moved_x(j) += dx;
        moved_z(k) += dz;
        return naive_covariance(unit, moved_x, moved_z);
      };
      EXPECT_NEAR(block(0, 0), at(0, 0, 0, 0), 1e-14);
      for (Index j = 0; j < 3; ++j) {
        EXPECT_NEAR(block(j + 1, 0), (at(j, h, 0, 0) - at(j, -h, 0, 0)) / (2 * h), 1e-7);
        EXPECT_NEAR(block(0, j + 1), (at(0, 0, j, h) - at(0, 0, j, -h)) / (2 * h), 1e-7);
        for (Index k = 0; k < 3; ++k) {
          const Real mixed =
              (at(j, h, k, h) - at(j, h, k, -h) - at(j, -h, k, h) + at(j, -h, k, -h)) / (4 * h * h);
          EXPECT_NEAR(block(j + 1, k + 1), mixed, 2e-6);
        }
      }
    }
  }
}

TEST(ValuesAndGradients, EqualsADenseReferenceInExtendedPrecision) {
  for (CovarianceFamily family : families) {
    for (Index d : {1, 2, 3, 5, 7}) {
      const Index n = std::min<Index>(12, 3 * d);
      const Case data = smooth_data(family, d, n, 30 + static_cast<std::uint64_t>(d));
      const GaussianProcess process = conditioned(data, -0.7);
      ASSERT_EQ(process.size(), n);
      Rng rng = stream(2);
      const Vector x = rng.normal(d);
      const Vector y = rng.normal(d);
      const NaivePair expected = naive_pair(data, x, y, -0.7, 1e-10);
      const PairBelief belief = process.pair(x, y);
      EXPECT_LT((belief.mean() - expected.mean).cwiseAbs().maxCoeff(), 1e-7) << d;
      EXPECT_LT((belief.covariance - expected.covariance).cwiseAbs().maxCoeff(), 1e-9) << d;
      EXPECT_NEAR(process.predict(x).variance, expected.covariance(0, 0), 1e-9);
      EXPECT_NEAR(process.predict(x).mean, expected.mean(0), 1e-7);
      EXPECT_LT((mean_gradient(process, y) - expected.mean.tail(d)).cwiseAbs().maxCoeff(), 1e-7);
    }
  }
}

TEST(ValuesAndGradients, InterpolatesValuesAndGradients) {
  for (CovarianceFamily family : families) {
    const Case data = smooth_data(family, 3, 20, 3);
    const GaussianProcess process = conditioned(data, 1.0);
    ASSERT_EQ(process.size(), 20);
    for (Index i = 0; i < 20; ++i) {
      const Vector z = data.points.col(i);
      const PairBelief belief = process.pair(z, data.points.col((i + 1) % 20));
      EXPECT_NEAR(mean(process, z), data.values(i), 1e-6);
      EXPECT_NEAR(belief.mean()(0), data.values(i), 1e-6);
      EXPECT_LT((mean_gradient(process, z) - data.gradients.col(i)).cwiseAbs().maxCoeff(), 1e-6);
      EXPECT_LT((belief.mean().segment(1, 3) - data.gradients.col(i)).cwiseAbs().maxCoeff(), 1e-6);
      EXPECT_LT(belief.covariance.diagonal().maxCoeff(), 1e-8);
    }
  }
}

TEST(ValuesAndGradients, MeanOfTheGradientIsTheGradientOfTheMean) {
  const double h = 1e-5;
  for (CovarianceFamily family : families) {
    const Case data = smooth_data(family, 4, 15, 4);
    const GaussianProcess process = conditioned(data, 2.0);
    Rng rng = stream(5);
    const Vector x = rng.normal(4);
    const Vector y = rng.normal(4);
    const Vector both = process.pair(x, y).mean();
    for (Index j = 0; j < 4; ++j) {
      const Vector step = h * Vector::Unit(4, j);
      const Vector above = process.pair(x + step, y + step).mean();
      const Vector below = process.pair(x - step, y - step).mean();
      EXPECT_NEAR(both(1 + j), (above(0) - below(0)) / (2 * h), 1e-7);
      EXPECT_NEAR(both(6 + j), (above(5) - below(5)) / (2 * h), 1e-7);
      EXPECT_NEAR(mean_gradient(process, x)(j), (mean(process, x + step) - mean(process, x - step)) / (2 * h),
                  1e-7);
    }
  }
}

TEST(ValuesAndGradients, CovarianceWithTheGradientIsTheDerivativeOfTheCovariance) {
  const double h = 1e-5;
  for (CovarianceFamily family : families) {
    const Case data = smooth_data(family, 3, 8, 6);
    const GaussianProcess process = conditioned(data, 0.0);
    Rng rng = stream(7);
    const Vector x = 2 * rng.normal(3);
    const Vector y = x + 0.3 * rng.normal(3);
    const Matrix covariance = process.pair(x, y).covariance;
    for (Index j = 0; j < 3; ++j) {
      const Vector step = h * Vector::Unit(3, j);
      const Matrix above = process.pair(x, y + step).covariance;
      const Matrix below = process.pair(x, y - step).covariance;
      EXPECT_NEAR(covariance(0, 5 + j), (above(0, 4) - below(0, 4)) / (2 * h), 1e-8);
      EXPECT_NEAR(covariance(1, 5 + j), (above(1, 4) - below(1, 4)) / (2 * h), 1e-8);
      EXPECT_NEAR(covariance(4, 5 + j), (above(4, 4) - below(4, 4)) / (4 * h), 1e-8);
    }
  }
}

TEST(ValuesAndGradients, AppendingEqualsConditioningAtOnce) {
  for (CovarianceFamily family : families) {
    const Case data = smooth_data(family, 3, 30, 8);
    const GaussianProcess whole = conditioned(data, 0.4);
    GaussianProcess grown(data.covariance, Observes::values_and_gradients, 0.4);
    for (Index i = 0; i < 30; ++i) grown.append(data.points.col(i), data.values(i), data.gradients.col(i));
    const Vector x = Vector::Constant(3, 0.1);
    const Vector y = Vector::Constant(3, -0.9);
    EXPECT_EQ(whole.size(), grown.size());
    EXPECT_EQ(whole.pair(x, y).mean(), grown.pair(x, y).mean());
    EXPECT_EQ(whole.pair(x, y).covariance, grown.pair(x, y).covariance);
    EXPECT_EQ(mean(whole, x), mean(grown, x));
  }
}

TEST(ValuesAndGradients, NewObservationsEqualStartingAfresh) {
  Case data = smooth_data(CovarianceFamily::matern52, 3, 25, 9);
  GaussianProcess process = conditioned(data, -5);
  Rng rng = stream(10);
  data.values += 3 * rng.normal(25);
  data.gradients.row(1) *= -2;
  process.set_observations(data.values, data.gradients);
  const GaussianProcess fresh = conditioned(data, -5);
  const Vector x = Vector::Constant(3, 0.2);
  const Vector y = Vector::Constant(3, -0.5);
  EXPECT_LT((process.pair(x, y).mean() - fresh.pair(x, y).mean()).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_NEAR(mean(process, x), mean(fresh, x), 1e-8);
  EXPECT_LT((mean_gradient(process, x) - mean_gradient(fresh, x)).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_EQ(process.pair(x, y).covariance, fresh.pair(x, y).covariance);
}

TEST(ValuesAndGradients, MeanIsAffineInThePriorMean) {
  const Case data = smooth_data(CovarianceFamily::squared_exponential, 2, 6, 11);
  const Vector x = Vector::Constant(2, 2.5);
  const Vector y = Vector::Constant(2, -2.5);
  const PairBelief belief = conditioned(data, 0).pair(x, y);
  for (double m : {-30.0, 0.0, 7.0}) {
    const GaussianProcess moved = conditioned(data, m);
    EXPECT_LT((belief.mean(m) - moved.pair(x, y).mean()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(belief.mean(m)(0), mean(moved, x), 1e-9);
  }
}

TEST(ValuesAndGradients, SwappedPairIsTheSameBelief) {
  for (Index d : {1, 2, 3, 4, 5, 6}) {
    const Case data = smooth_data(CovarianceFamily::matern52, d, 11, 12);
    const GaussianProcess process = conditioned(data, 0.3);
    Rng rng = stream(13);
    const Vector x = rng.normal(d);
    const Vector y = rng.normal(d);
    const Index h = d + 1;
    const PairBelief forward = process.pair(x, y);
    const PairBelief back = process.pair(y, x);
    EXPECT_EQ(forward.mean().head(h), back.mean().tail(h));
    EXPECT_EQ(forward.mean().tail(h), back.mean().head(h));
    EXPECT_EQ(forward.covariance.topLeftCorner(h, h), back.covariance.bottomRightCorner(h, h));
    EXPECT_EQ(forward.covariance.topRightCorner(h, h), back.covariance.bottomLeftCorner(h, h));
    EXPECT_EQ(forward.covariance.bottomRightCorner(h, h), back.covariance.topLeftCorner(h, h));
  }
}

TEST(ValuesAndGradients, UnitsOfTheInputsDoNotMatter) {
  Case data = smooth_data(CovarianceFamily::squared_exponential, 2, 10, 14);
  const Vector x = Vector::Constant(2, 0.4);
  const Vector y = Vector::Constant(2, -0.2);
  const PairBelief before = conditioned(data, 0.1).pair(x, y);
  const Vector unit = (Vector(2) << 1e-6, 1e5).finished();
  data.covariance.lengthscales = data.covariance.lengthscales.cwiseProduct(unit);
  data.points = unit.asDiagonal() * data.points;
  data.gradients = unit.cwiseInverse().asDiagonal() * data.gradients;
  const PairBelief after = conditioned(data, 0.1).pair(x.cwiseProduct(unit), y.cwiseProduct(unit));
  EXPECT_NEAR(before.mean()(0), after.mean()(0), 1e-7);
  EXPECT_NEAR(before.mean()(1), after.mean()(1) * 1e-6, 1e-7);
  EXPECT_NEAR(before.mean()(5), after.mean()(5) * 1e5, 1e-7);
  EXPECT_NEAR(before.covariance(1, 5), after.covariance(1, 5) * 1e-1, 1e-9);
}

TEST(ValuesAndGradients, FarAndNonFinitePositionsGiveThePrior) {
  for (CovarianceFamily family : families) {
    const Case data = smooth_data(family, 2, 10, 15);
    const GaussianProcess process = conditioned(data, -3);
    const double gradient_variance = family == CovarianceFamily::squared_exponential ? 1 : 5.0 / 3.0;
    for (double far : {1e5, 1e60, 1e200, infinity, -infinity, std::nan("")}) {
      const Vector z = Vector::Constant(2, far);
      for (const Vector& other : {Vector(data.points.col(0)), z}) {
        const PairBelief belief = process.pair(z, other);
        expect_sound(belief);
        EXPECT_EQ(belief.mean()(0), -3);
        EXPECT_EQ(belief.mean()(1), 0);
        EXPECT_DOUBLE_EQ(belief.covariance(0, 0), 2.5);
        EXPECT_EQ(belief.covariance(0, 1), 0);
        for (Index j = 0; j < 2; ++j) {
          const double l = data.covariance.lengthscales(j);
          EXPECT_NEAR(belief.covariance(1 + j, 1 + j), 2.5 * gradient_variance / (l * l), 1e-12);
        }
      }
      EXPECT_EQ(mean(process, z), -3);
      EXPECT_EQ(mean_gradient(process, z).norm(), 0);
      EXPECT_EQ(process.predict(z).variance, 2.5);
    }
  }
}

TEST(ValuesAndGradients, PointThatTellsNothingNewIsRefusedAndChangesNothing) {
  const Case data = smooth_data(CovarianceFamily::squared_exponential, 2, 10, 16);
  GaussianProcess process = conditioned(data, 0);
  const Vector x = Vector::Constant(2, 0.3);
  const double before = mean(process, x);
  const Vector known = data.points.col(4);
  EXPECT_EQ(process.append(known, 1e6, Vector::Zero(2)), Admission::refused);
  EXPECT_EQ(process.append(known.array() + 1e-7, 0, Vector::Zero(2)), Admission::refused);
  EXPECT_EQ(process.append(x, std::nan(""), Vector::Zero(2)), Admission::refused);
  EXPECT_EQ(process.append(x, 0, Vector::Constant(2, infinity)), Admission::refused);
  EXPECT_EQ(process.append(Vector::Constant(2, infinity), 0, Vector::Zero(2)), Admission::refused);
  EXPECT_EQ(process.size(), 10);
  EXPECT_EQ(mean(process, x), before);
  EXPECT_EQ(process.append(known.array() + 1.0, 0, Vector::Zero(2)), Admission::admitted);
  EXPECT_EQ(process.size(), 11);
}

TEST(ValuesAndGradients, WrongSizesAreRefusedAtTheDoor) {
  const Case data = smooth_data(CovarianceFamily::squared_exponential, 2, 5, 17);
  GaussianProcess process = conditioned(data, 0);
  EXPECT_THROW(process.append(Vector::Zero(3), 0, Vector::Zero(2)), InputError);
  EXPECT_THROW(process.append(Vector::Zero(2), 0, Vector::Zero(1)), InputError);
  EXPECT_THROW(process.set_observations(Vector::Zero(4), Matrix::Zero(2, 4)), InputError);
  EXPECT_THROW(process.set_observations(Vector::Zero(5)), InputError);
}

// Spacing from 1e-12 to 1e6 lengthscales, duplicates, values over a range of 1e8, gradients that do not fit
// them.
TEST(ValuesAndGradients, SurvivesTorture) {
  for (std::uint64_t number = 0; number < 2000; ++number) {
    Rng rng = stream(1000 + number);
    const Index d = 1 + static_cast<Index>(rng.below(8));
    const Index n = static_cast<Index>(rng.below(41));
    Case data{{families[rng.below(2)], std::pow(10, 8 * rng.uniform() - 2), Vector(d)}, {}, {}, {}};
    for (double& l : data.covariance.lengthscales) l = std::pow(10, 6 * rng.uniform() - 3);
    data.points = Matrix::Zero(d, n);
    const double spacing = std::pow(10, 18 * rng.uniform() - 12);
    const double range = std::pow(10, 8 * rng.uniform());
    for (Index i = 0; i < n; ++i) {
      const bool copies = i > 0 && rng.below(4) == 0;
      const Index source = copies ? static_cast<Index>(rng.below(static_cast<std::uint64_t>(i))) : 0;
      const double distance = copies && rng.below(2) == 0 ? 0 : spacing;
      data.points.col(i) =
          data.points.col(source) + distance * rng.normal(d).cwiseProduct(data.covariance.lengthscales);
    }
    data.values = range * rng.normal(n);
    data.gradients = range * std::pow(10, 12 * rng.uniform() - 6) * rng.normal(d * n).reshaped(d, n);
    const GaussianProcess process = conditioned(data, range * rng.normal());
    ASSERT_LE(process.size(), n);
    ASSERT_GE(process.size(), std::min<Index>(n, 1));
    const Vector origin = n > 0 ? Vector(data.points.col(n - 1)) : Vector::Zero(d);
    for (double distance : {0.0, 1e-9, 1e-3, 1.0, 1e4}) {
      const Vector z = origin + distance * rng.normal(d).cwiseProduct(data.covariance.lengthscales);
      ASSERT_NO_FATAL_FAILURE(expect_sound(process.pair(origin, z))) << number;
      const GaussianProcess::Prediction prediction = process.predict(z);
      ASSERT_TRUE(std::isfinite(prediction.mean)) << number;
      ASSERT_GE(prediction.variance, 0) << number;
      ASSERT_LE(prediction.variance, data.covariance.signal_variance) << number;
      ASSERT_TRUE(mean_gradient(process, z).allFinite()) << number;
    }
  }
}

}  // namespace
}  // namespace hunch
