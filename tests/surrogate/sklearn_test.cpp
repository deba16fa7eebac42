// The process and its marginal likelihood against scikit-learn's numbers (scripts/regenerate-sklearn-cases).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "hunch/surrogate/gaussian_process.hpp"
#include "hunch/surrogate/marginal_likelihood.hpp"

namespace hunch {
namespace {

using Json = nlohmann::json;

Vector vector_of(const Json& json) {
  const auto numbers = json.get<std::vector<double>>();
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
}

// Rows of the file become columns.
Matrix columns_of(const Json& json) {
  Matrix columns(static_cast<Index>(json.at(0).size()), static_cast<Index>(json.size()));
  for (Index i = 0; i < columns.cols(); ++i) columns.col(i) = vector_of(json.at(static_cast<std::size_t>(i)));
  return columns;
}

struct Case {
  Covariance covariance;
  Matrix points;
  Vector values;
  double prior_mean;
  double jitter;
  double
      rounding;  // what two right implementations may differ by, relative: unit rounding * condition number
  Json expected;
};

std::vector<Case> cases() {
  std::ifstream file(HUNCH_TESTS_FOLDER "/surrogate/data/sklearn.json");
  const Json all = Json::parse(file);
  std::vector<Case> out;
  for (const Json& j : all.at("cases")) {
    const auto family =
        j.at("family") == "matern52" ? CovarianceFamily::matern52 : CovarianceFamily::squared_exponential;
    const double rounding = 2.3e-16 * j.at("condition_number").get<double>();
    const Covariance covariance{family, j.at("signal_variance"), vector_of(j.at("lengthscales"))};
    out.push_back({covariance, columns_of(j.at("points")), vector_of(j.at("values")), j.at("prior_mean"),
                   j.at("relative_jitter"), std::max(rounding, 1e-13), j});
  }
  EXPECT_EQ(out.size(), 8);
  return out;
}

TEST(ScikitLearn, SaysTheSameMeansAndDeviations) {
  for (const Case& c : cases()) {
    const auto process = GaussianProcess::condition(c.covariance, {c.points, c.values}, c.prior_mean,
                                                    {.relative_jitter = c.jitter, .admission_floor = 0});
    const Matrix positions = columns_of(c.expected.at("positions"));
    const Vector means = vector_of(c.expected.at("means"));
    const Vector deviations = vector_of(c.expected.at("deviations"));
    const double spread = c.values.maxCoeff() - c.values.minCoeff();
    for (Index j = 0; j < positions.cols(); ++j) {
      const auto [mean, variance] = process.predict(positions.col(j));
      EXPECT_NEAR(mean, means(j), c.rounding * spread);
      EXPECT_NEAR(variance, deviations(j) * deviations(j), c.rounding * c.covariance.signal_variance);
    }
  }
}

TEST(ScikitLearn, SaysTheSameJointCovariance) {
  for (const Case& c : cases()) {
    const auto process = GaussianProcess::condition(c.covariance, {c.points, c.values}, c.prior_mean,
                                                    {.relative_jitter = c.jitter, .admission_floor = 0});
    const Matrix positions = columns_of(c.expected.at("positions"));
    const Matrix covariance = columns_of(c.expected.at("covariance"));
    for (Index j = 1; j < positions.cols(); ++j) {
      const PairBelief belief = process.pair(positions.col(0), positions.col(j));
      EXPECT_NEAR(belief.covariance(0, 1), covariance(0, j), c.rounding * c.covariance.signal_variance);
    }
  }
}

TEST(ScikitLearn, SaysTheSameMarginalLikelihoodAndGradient) {
  for (const Case& c : cases()) {
    const Data data{c.points, c.values};
    const auto likelihood =
        marginal_likelihood(c.covariance, data, {c.covariance, data}, c.prior_mean, c.jitter);
    const double expected = c.expected.at("log_marginal_likelihood");
    EXPECT_NEAR(likelihood.value, expected, c.rounding * (1 + std::abs(expected)));
    const Vector gradient = vector_of(c.expected.at("gradient"));
    ASSERT_EQ(likelihood.gradient.size(), gradient.size());
    EXPECT_LT((likelihood.gradient - gradient).norm(), c.rounding * (1 + gradient.norm()));
  }
}

}  // namespace
}  // namespace hunch
