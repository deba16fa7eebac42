// Fit: the covariance and the prior mean that explain the evaluations best, within what they can tell.
#pragma once

#include <optional>

#include "hunch/core/types.hpp"
#include "hunch/surrogate/covariance.hpp"

namespace hunch {

// Lengthscales are measured in spreads: the standard deviation of the points used, per dimension.
struct FitOptions {
  double shortest = 0.05;          // least lengthscale in spreads, > 0
  double longest = 30;             // greatest lengthscale in spreads, > shortest
  double typical = 3;              // median of the lognormal prior on a lengthscale, in spreads, > 0
  double log_deviation = 1.5;      // its standard deviation on the log scale, > 0
  Index most_points = 256;         // points used: those with the highest values, later ones first, >= 2
  int most_iterations = 40;        // of L-BFGS-B, for each start, >= 1
  double relative_jitter = 1e-10;  // as in the process that is to use the covariance
};

enum class FitOutcome {
  fitted,
  defaulted,  // the data say nothing (fewer than two points, or equal values): typical lengthscales
};

struct FitResult {
  Covariance covariance;
  double prior_mean;               // generalised least squares, kept within the range of the values
  double log_marginal_likelihood;  // penalised by the prior on lengthscales; minus infinity if defaulted
  FitOutcome outcome;
  int likelihoods;  // how many times the marginal likelihood was computed
};

// Maximises the profiled marginal likelihood times the prior, as search() in hyperparameter_search.hpp does.
// Deterministic. Points are columns; those that are not finite are left out.
FitResult fit(const Matrix& points, const Vector& values, CovarianceFamily family,
              const FitOptions& options = {}, const std::optional<Covariance>& previous = std::nullopt);

}  // namespace hunch
