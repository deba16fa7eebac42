#include "hunch/problems/logistic.hpp"

#include "hunch/core/numeric.hpp"
#include "problems/finite_difference.hpp"

namespace hunch {
namespace {

LogisticData some_data() {
  Rng rng(Address{13, 0, 5, Purpose::data});
  return draw_logistic_data(rng);
}

TEST(Logistic, LogLikelihoodIsTheSumOverAnswers) {
  const LogisticData data = some_data();
  Rng rng(Address{13, 0, 0, Purpose::test});
  for (int k = 0; k < 20; ++k) {
    const Vector beta = (k < 10 ? 1.0 : 30.0) * rng.normal(5);
    double plain = 0;
    for (Index i = 0; i < 1000; ++i) {
      // The first column's sign says the answer: -1 for yes.
      const bool yes = data.signed_design(i, 0) < 0;
      const double eta = (yes ? -1 : 1) * data.signed_design.row(i).dot(beta);
      plain += (yes ? eta : 0) - log1p_exp(eta);
    }
    EXPECT_NEAR(logistic_log_likelihood(data, beta, Want::value).log_likelihood, plain,
                1e-12 * std::abs(plain));
  }
}

TEST(Logistic, GradientIsThatOfTheValue) {
  const LogisticData data = some_data();
  Rng rng(Address{13, 1, 0, Purpose::test});
  for (int k = 0; k < 20; ++k) {
    const Vector beta = (k < 10 ? 1.0 : 5.0) * rng.normal(5);
    const auto value = [&](const Vector& b) {
      return logistic_log_likelihood(data, b, Want::value).log_likelihood;
    };
    const Exact exact = logistic_log_likelihood(data, beta, Want::value_and_gradient);
    EXPECT_LT((*exact.gradient - finite_difference(value, beta, 1e-3)).norm(), 1e-6);
  }
}

TEST(Logistic, GradientAtTruthIsOfTheSizeItsInformationAllows) {
  // The score has mean zero and covariance X' W X at the truth; its squared norm in that metric is
  // chi-squared(5), above 45 with probability 1e-8. An answer drawn with the wrong sign gives hundreds.
  const LogisticData data = some_data();
  const Exact exact = logistic_log_likelihood(data, data.truth, Want::value_and_gradient);
  const Vector eta = data.signed_design * data.truth;
  const Vector w = eta.unaryExpr([](double e) { return logistic(e) * logistic(-e); });
  const Matrix information = data.signed_design.transpose() * w.asDiagonal() * data.signed_design;
  EXPECT_LT(exact.gradient->dot(information.ldlt().solve(*exact.gradient)), 45);
}

TEST(Logistic, HugeCoefficientsNeitherOverflowNorGiveNan) {
  const LogisticData data = some_data();
  for (const double size : {1e3, 1e10, 1e80}) {
    const Exact exact = logistic_log_likelihood(data, Vector::Constant(5, size), Want::value_and_gradient);
    EXPECT_TRUE(std::isfinite(exact.log_likelihood));
    EXPECT_TRUE(exact.gradient->allFinite());
  }
  for (const double bad : {1e100, infinity, std::nan("")}) {
    Vector beta = Vector::Ones(5);
    beta[3] = bad;
    const Exact exact = logistic_log_likelihood(data, beta, Want::value_and_gradient);
    EXPECT_EQ(exact.log_likelihood, -infinity);
    EXPECT_FALSE(exact.gradient);
  }
}

}  // namespace
}  // namespace hunch
