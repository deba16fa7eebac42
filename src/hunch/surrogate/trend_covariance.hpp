// TrendCovariance: how much the values and the gradients of a log-likelihood have to do with each other: a
// quadratic trend, and on it what a quadratic misses.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

// k(z, z') = signal SE(z, z') + rough Matern52(z, z')                       what a quadratic misses
//          + constant + bowl q(z) q(z') + quadratic (4 z.z' + (z.z')^2)     the trend,   q(z) = |z|^2 / 2
// `constant` and `bowl` are vague: a level and an isotropic curvature that the data alone decide. Inputs z
// are expected to be whitened, so that the posterior is of size about one in every direction.
struct TrendCovariance {
  Vector lengthscales;
  double signal = 0.1;
  double rough = 0;  // 0: none
  double quadratic = 1;
  double constant = 1e4;
  double bowl = 1e4;
};

// Points are columns. Between the values at a (rows) and those at b.
Matrix covariance_of_values(const TrendCovariance& covariance, const Matrix& a, const Matrix& b);

// Between the gradients at a (rows: one coordinate at all points after the other) and the values at b: dk/da.
Matrix covariance_of_gradients_and_values(const TrendCovariance& covariance, const Matrix& a,
                                          const Matrix& b);

// The values at all points and, in this order, the gradients at the first `sloped` of them: among
// themselves, without noise.
Matrix trend_covariance_matrix(const TrendCovariance& covariance, const Matrix& points, Index sloped = 0);

}  // namespace hunch
