// Frozen surrogates for the rank test: one that knows the banana, one that thinks too well of what it does
// not know, one that thinks too ill of it, one that is rubbish.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "hunch/surrogate/gaussian_process.hpp"
#include "stat/rank_test.hpp"

namespace hunch::stat {

// Training points on a scrambled grid around the banana.
inline Matrix training_points(int n) {
  Matrix points(2, n);
  for (int i = 0; i < n; ++i) {
    const double x = -1.4 + 3.2 * std::fmod(0.5 + i * 0.7548776662, 1.0);
    points.col(i) << x, x * x - 0.9 + 1.8 * std::fmod(0.5 + i * 0.5698402910, 1.0);
  }
  return points;
}

inline Covariance covariance_of(const std::string& quality) {
  if (quality == "good") return {CovarianceFamily::squared_exponential, 60, Vector{{1.2, 2.5}}};
  return {CovarianceFamily::matern52, 3, Vector{{0.5, 0.6}}};
}

// What is believed far from the training points.
inline double prior_mean_of(const std::string& quality) {
  if (quality == "good") return -3;
  return quality == "pessimist" ? -4 : 0.5;
}

inline Data observed(const Matrix& points, Observes observes) {
  const bool gradients = observes == Observes::values_and_gradients;
  Data data{points, Vector(points.cols()), Matrix(2, gradients ? points.cols() : 0)};
  for (Index i = 0; i < points.cols(); ++i) {
    const Exact exact = Banana::exact(points.col(i));
    data.values[i] = exact.log_likelihood;
    if (gradients) data.gradients.col(i) = *exact.gradient;
  }
  return data;
}

inline GaussianProcess process_of(const std::string& quality, Observes observes) {
  const bool good = quality == "good";
  const int points = observes == Observes::values ? (good ? 14 : 4) : (good ? 8 : 3);
  return GaussianProcess::condition(covariance_of(quality), observed(training_points(points), observes),
                                    prior_mean_of(quality));
}

// Deterministic rubbish: wild means, variances that have nothing to do with them, NaN in one strip.
inline PairBelief rubbish(const Vector& x, const Vector& y, Index per_point) {
  const Index n = 2 * per_point;
  PairBelief belief{Vector(n), Vector(n), Matrix::Zero(n, n), 0.7};
  for (Index i = 0; i < n; ++i) {
    const Vector& z = i < per_point ? x : y;
    const double k = static_cast<double>(i % per_point + 1);
    belief.offset[i] = 2 * std::sin(3 * k * z[0] + 1.3 * z[1]);
    belief.slope[i] = std::cos(2 * z[0] - k * z[1]);
    belief.covariance(i, i) = 0.5 + 0.5 * std::sin(5 * z[0] * k + z[1]);
  }
  const auto in_strip = [](const Vector& z) { return z[0] > 0.5 && z[0] < 0.6; };
  if (in_strip(x) || in_strip(y)) belief.offset[0] = std::numeric_limits<double>::quiet_NaN();
  return belief;
}

inline Beliefs beliefs_of(const std::string& quality, const Proposal& proposal) {
  const bool joint = uses_gradient(proposal);
  if (quality == "garbage")
    return [joint](const Vector& x, const Vector& y) { return rubbish(x, y, joint ? 3 : 1); };
  const auto process = std::make_shared<const GaussianProcess>(
      process_of(quality, joint ? Observes::values_and_gradients : Observes::values));
  return [process](const Vector& x, const Vector& y) { return process->pair(x, y); };
}

}  // namespace hunch::stat
