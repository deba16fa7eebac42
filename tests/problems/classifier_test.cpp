#include "hunch/problems/classifier.hpp"

#include "hunch/core/numeric.hpp"
#include "hunch/problems/cholesky_inverse.hpp"
#include "problems/finite_difference.hpp"

namespace hunch {
namespace {

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

ClassifierData some_data(Index points, std::uint32_t simulation = 0) {
  Rng rng(Address{15, simulation, 3, Purpose::data});
  return draw_classifier_data(rng, points);
}

// Laplace's approximation from its definition, in long double and with nothing clever: K inverted outright,
// damped Newton in f, and the determinant of I + K W by elimination.
long double plain_laplace(const ClassifierData& data, const Vector& theta) {
  const Index n = data.labels.size();
  Long k(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const long double d1 = (data.points(i, 0) - data.points(j, 0)) / std::exp((long double)theta[0]);
      const long double d2 = (data.points(i, 1) - data.points(j, 1)) / std::exp((long double)theta[1]);
      k(i, j) = std::exp((long double)theta[2] - 0.5L * (d1 * d1 + d2 * d2));
    }
  }
  LongVector f = LongVector::Zero(n);
  LongVector slope(n), w(n);
  const auto expand = [&] {
    for (Index i = 0; i < n; ++i) {
      const long double p = 1 / (1 + std::exp(-f[i]));
      slope[i] = (data.labels[i] > 0 ? 1 : 0) - p;
      w[i] = p * (1 - p);
    }
  };
  for (int step = 0; step < 60; ++step) {
    expand();
    const Long system = Long::Identity(n, n) + k * w.asDiagonal();
    f = (0.5L * f + 0.5L * system.fullPivLu().solve(k * (w.cwiseProduct(f) + slope))).eval();
  }
  for (int step = 0; step < 4; ++step) {
    expand();
    const Long system = Long::Identity(n, n) + k * w.asDiagonal();
    f = system.fullPivLu().solve(k * (w.cwiseProduct(f) + slope)).eval();
  }
  expand();
  long double value = -0.5L * f.dot(slope);  // K^-1 f = slope at the mode
  for (Index i = 0; i < n; ++i) value -= std::log1p(std::exp(-data.labels[i] * f[i]));
  const Long system = Long::Identity(n, n) + k * w.asDiagonal();
  return value - 0.5L * system.fullPivLu().matrixLU().diagonal().array().abs().log().sum();
}

TEST(Classifier, ValueIsLaplacesApproximationByBruteForce) {
  const ClassifierData data = some_data(30);
  Rng rng(Address{15, 0, 0, Purpose::test});
  for (int k = 0; k < 8; ++k) {
    const Vector theta = data.truth + (k < 4 ? 0.7 : 3.0) * rng.normal(3);
    const double plain = static_cast<double>(plain_laplace(data, theta));
    const double value = classifier_log_likelihood(data, theta, Want::value).log_likelihood;
    EXPECT_NEAR(value, plain, 1e-9) << theta.transpose();
  }
}

TEST(Classifier, GradientFollowsTheModeAsTheValueDoes) {
  Rng rng(Address{15, 1, 0, Purpose::test});
  for (const Index points : {30, 120}) {
    const ClassifierData data = some_data(points);
    for (int k = 0; k < 8; ++k) {
      const Vector theta = data.truth + (k < 4 ? 0.5 : 2.5) * rng.normal(3);
      const auto value = [&](const Vector& t) {
        return classifier_log_likelihood(data, t, Want::value).log_likelihood;
      };
      const Exact exact = classifier_log_likelihood(data, theta, Want::value_and_gradient);
      const Vector difference = finite_difference(value, theta, 1e-3);
      EXPECT_LT((*exact.gradient - difference).norm(), 2e-7 * (1 + exact.gradient->norm()))
          << theta.transpose();
    }
  }
}

TEST(Classifier, ValueDoesNotDependOnWhetherAGradientIsWanted) {
  const ClassifierData data = some_data(60);
  EXPECT_EQ(classifier_log_likelihood(data, data.truth, Want::value).log_likelihood,
            classifier_log_likelihood(data, data.truth, Want::value_and_gradient).log_likelihood);
}

TEST(Classifier, ValueIsSmoothToNineDigits) {
  // Along a line so short that the function is straight to 1e-12, what bends is the noise of the search.
  const ClassifierData data = some_data(200);
  const Vector direction = Eigen::Vector3d(1e-7, -2e-7, 1e-7);
  Vector values(21);
  for (Index i = 0; i < 21; ++i) {
    const Vector theta = data.truth + static_cast<double>(i - 10) * direction;
    values[i] = classifier_log_likelihood(data, theta, Want::value).log_likelihood;
  }
  for (Index i = 1; i < 20; ++i) EXPECT_NEAR(values[i + 1] - 2 * values[i] + values[i - 1], 0, 1e-9);
}

TEST(Classifier, ExtremeHyperparametersHaveAFiniteValueAndGradient) {
  const ClassifierData data = some_data(40);
  for (const double l1 : {-25.0, -12.0, -4.0, 0.0, 4.0, 12.0, 25.0}) {
    for (const double l2 : {-12.0, -4.0, 4.0, 12.0}) {
      for (const double v : {-25.0, -12.0, -4.0, 4.0, 8.0, 12.0, 25.0}) {
        const Exact exact =
            classifier_log_likelihood(data, Eigen::Vector3d(l1, l2, v), Want::value_and_gradient);
        ASSERT_TRUE(std::isfinite(exact.log_likelihood)) << l1 << " " << l2 << " " << v;
        ASSERT_TRUE(exact.gradient && exact.gradient->allFinite()) << l1 << " " << l2 << " " << v;
        EXPECT_LT(exact.log_likelihood, 0);
      }
    }
  }
  for (const double beyond : {25.1, -1e5, infinity, std::nan("")}) {
    const Exact exact =
        classifier_log_likelihood(data, Eigen::Vector3d(0, beyond, 1), Want::value_and_gradient);
    EXPECT_EQ(exact.log_likelihood, -infinity);
    EXPECT_FALSE(exact.gradient);
  }
}

TEST(Classifier, ExtremeGradientsAreThoseOfTheValue) {
  const ClassifierData data = some_data(40);
  for (const double l : {-3.0, 1.0, 5.0}) {
    for (const double v : {-6.0, 6.0, 12.0}) {
      const Vector theta = Eigen::Vector3d(l, 0.5 * l, v);
      const auto value = [&](const Vector& t) {
        return classifier_log_likelihood(data, t, Want::value).log_likelihood;
      };
      const Exact exact = classifier_log_likelihood(data, theta, Want::value_and_gradient);
      const Vector difference = finite_difference(value, theta, 3e-3);
      EXPECT_LT((*exact.gradient - difference).norm(), 1e-5 * (1 + exact.gradient->norm()))
          << theta.transpose();
    }
  }
}

TEST(Classifier, LabelsFollowTheLatentFunctionNotTheCoin) {
  // Labels of close points agree more often than not; for labels by coin the log-likelihood at the truth
  // would not beat that of no function at all, which is n log(1/2).
  const ClassifierData data = some_data(300, 1);
  const double at_truth = classifier_log_likelihood(data, data.truth, Want::value).log_likelihood;
  EXPECT_GT(at_truth, 300 * std::log(0.5) + 10);
}

TEST(CholeskyInverse, LowerTriangleIsThatOfTheInverse) {
  Rng rng(Address{16, 0, 0, Purpose::test});
  for (const Index n : {1, 2, 23, 24, 25, 49, 130}) {
    Matrix a(n, n);
    for (Index j = 0; j < n; ++j) a.col(j) = rng.normal(n);
    const Matrix b = a * a.transpose() + Matrix::Identity(n, n);
    Matrix lower = Matrix::Constant(n, n, 1e30);  // rubbish above the diagonal must not matter
    lower.triangularView<Eigen::Lower>() = Matrix(b.llt().matrixL());
    invert_from_cholesky(lower);
    const Matrix inverse = lower.selfadjointView<Eigen::Lower>();
    EXPECT_LT((inverse * b - Matrix::Identity(n, n)).norm(), 1e-9) << n;
    if (n > 1) {
      EXPECT_EQ(lower(0, n - 1), 1e30);
    }
  }
}

}  // namespace
}  // namespace hunch
