// TrendFit: the hyperparameters of a TrendProcess that explain the evaluations best.
#pragma once

#include <vector>

#include "hunch/surrogate/trend_evidence.hpp"

namespace hunch {

enum class Texture { smooth, rough };  // SE alone, or SE and Matern-5/2

struct TrendFit {
  TrendCovariance covariance;
  double log_posterior;  // log marginal likelihood and the weak priors on hyperparameters
  double leave_one_out;  // mean log density of each value given what is known of all other points
};

// The log posterior of the hyperparameters.
TrendLikelihood trend_likelihood(const TrendCovariance& covariance, const TrendData& data);

// Climbs from each of the starts; the best end wins. Deterministic. Values are expected to be of the order of
// tens of nats, their constant and bowl variances to be set in the starts.
TrendFit fit_trend(const std::vector<TrendCovariance>& starts, Texture texture, const TrendData& data,
                   int most_iterations);

// The mean log density of each value given all other points, in closed form. A point's own gradient is left
// out with its value: beside it the value would be no test.
double leave_one_out_score(const TrendCovariance& covariance, const TrendData& data);

}  // namespace hunch
