// NormalDensity: correlated normal likelihoods in many dimensions, whose posteriors are known exactly.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

struct NormalDensity {
  Vector mean;
  Matrix precision;
  double log_constant;  // the log density at the mean
};

// Unit variances, correlation 0.9^|i - j|; ten dimensions, mean -1, -0.5, ..., 3.5.
NormalDensity ar1_density();

// Variances 0.1 .. 10, evenly spaced in their logarithms, along the vectors of the discrete cosine transform;
// twenty dimensions, mean 3 sin(i + 1).
NormalDensity rotated_density();

// The log density at theta, normalised.
Exact normal_log_density(const NormalDensity& density, const Vector& theta, Want want);

}  // namespace hunch
