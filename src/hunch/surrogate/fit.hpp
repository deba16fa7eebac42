// Fit: the hyperparameters that explain data best, within what these can tell.
#pragma once

#include <optional>
#include <vector>

#include "hunch/surrogate/marginal_likelihood.hpp"

namespace hunch {

// Lognormal priors on hyperparameters, and their bounds: all on the log scale, in the order of the gradient
// of a MarginalLikelihood. If there are lengthscales alone, the prior mean and the signal variance are
// profiled; else a signal variance and a quadratic one are fitted too, and a tilt if there is one.
struct HyperPriors {
  Vector medians;
  Vector deviations;
  Vector lowest;
  Vector highest;
};

struct FitOptions {
  int most_iterations = 40;        // of L-BFGS-B, for each start, >= 1
  double negligible_gain = 1e-6;   // of a step, over the log density: a climb ends, > 0
  double relative_jitter = 1e-10;  // as in the process that is to use the covariance
};

struct FitResult {
  Covariance covariance;
  double prior_mean;
  double log_posterior;  // log marginal likelihood and priors, up to a constant; minus infinity if none was
                         // found
  int likelihoods;       // how many times the marginal likelihood was computed
};

// Climbs from each of the starts; the best point seen wins. Deterministic. What is not fitted stays as it is
// in the start.
FitResult fit(const std::vector<Covariance>& starts, const HyperPriors& priors, const Data& data,
              const FitOptions& options);

// How gp-mh and gp-mala choose a stationary covariance. Lengthscales are measured in spreads: the standard
// deviation of the points used, per dimension.
struct StationaryFit {
  double shortest = 0.05;      // least lengthscale in spreads, > 0
  double longest = 30;         // greatest lengthscale in spreads, > shortest
  double typical = 3;          // median of the lognormal prior on a lengthscale, in spreads, > 0
  double log_deviation = 1.5;  // its standard deviation on the log scale, > 0
  Index most_points = 256;     // points used: those with the highest values, later ones first, >= 2
  Index most_numbers = 480;    // and, where there are gradients, numbers used
};

// From typical lengthscales, from short ones, and from `previous` if given. Where data are many, the starts
// are compared on every other point, and the best is finished on all. Points that are not finite are left
// out; gradients are of all points or of none. Data that say nothing (fewer than two points, or equal values)
// give `previous`, or typical lengthscales, with a log posterior of minus infinity.
FitResult fit_stationary(const Data& data, CovarianceFamily family,
                         const std::optional<Covariance>& previous = std::nullopt,
                         const StationaryFit& how = {});

// For log-likelihoods with a trend in whitened coordinates, in nats: weak priors by which a lengthscale is
// about the size of the typical set, what a quadratic misses is a fraction of a nat, and the trend is of the
// order of a nat per unit squared.
HyperPriors trend_priors(Index dimension, bool is_tilted);

}  // namespace hunch
