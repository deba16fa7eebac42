// Covariance: how much two log-likelihood values have to do with each other; stationary, a lengthscale per dimension.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

enum class CovarianceFamily { squared_exponential, matern52 };

// k(z, z') = signal_variance * phi(s),  s = sum_j ((z_j - z'_j) / lengthscale_j)^2.
struct Covariance {
  CovarianceFamily family = CovarianceFamily::squared_exponential;
  double signal_variance = 1;
  Vector lengthscales;
};

// phi and its derivatives with respect to s: everything that values, gradients and fitting need.
// Matern-5/2's third derivative is infinite at s = 0; it is only ever multiplied by terms that vanish
// faster, and is given as 0 there.
struct Radial {
  double phi;
  double d1;
  double d2;
  double d3;
};
Radial radial(CovarianceFamily family, double s);

// The vector k(z, points) for points stored as columns; out is resized. `scaled` are points and z already
// divided by the lengthscales.
void cross_covariance(const Covariance& covariance, const Matrix& scaled_points, const Vector& scaled_z, Vector& out);

}  // namespace hunch
