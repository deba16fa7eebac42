// TrendFit: the hyperparameters of a TrendProcess that explain the evaluations best.
#pragma once

#include <vector>

#include "hunch/surrogate/trend_process.hpp"

namespace hunch {

enum class Texture { smooth, rough };  // SE alone, or SE and Matern-5/2

struct TrendFit {
  TrendCovariance covariance;
  double log_posterior;  // log marginal likelihood and the weak priors on hyperparameters
  double leave_one_out;  // mean log density of each value given all others
};

// log posterior of the hyperparameters and its gradient with respect to the logs of lengthscales, signal,
// quadratic and, if it is not 0, rough.
struct TrendLikelihood {
  double value;  // minus infinity where the matrix is not positive definite to working precision
  Vector gradient;
};
TrendLikelihood trend_likelihood(const TrendCovariance& covariance, const Matrix& points,
                                 const Vector& values, const Vector& noise_variances);

// Climbs from each of the starts; the best end wins. Deterministic. Values are expected to be of the order of
// tens of nats, their constant and bowl variances to be set in the starts.
TrendFit fit_trend(const std::vector<TrendCovariance>& starts, Texture texture, const Matrix& points,
                   const Vector& values, const Vector& noise_variances, int most_iterations);

// The mean log density of each value given all the others, in closed form.
double leave_one_out_score(const TrendCovariance& covariance, const Matrix& points, const Vector& values,
                           const Vector& noise_variances);

}  // namespace hunch
