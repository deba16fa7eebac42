// Covariance: how much two log-likelihood values have to do with each other; stationary, a lengthscale per
// dimension.
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

// Many at once: each s becomes phi(s), phi'(s) or phi''(s). Where phi is below about 1e-100 the result is
// exactly 0, also for s = infinity: such a value could only breed subnormal numbers.
void to_correlation(CovarianceFamily family, Eigen::Ref<Eigen::ArrayXXd> s);
void to_correlation_slope(CovarianceFamily family, Eigen::Ref<Eigen::ArrayXXd> s);
void to_correlation_bend(CovarianceFamily family, Eigen::Ref<Eigen::ArrayXXd> s);
// Both, for one exponential: s becomes phi(s) and slope, of the same shape, phi'(s).
void to_correlation_and_slope(CovarianceFamily family, Eigen::Ref<Eigen::ArrayXXd> s,
                              Eigen::Ref<Eigen::ArrayXXd> slope);

// The squared distances s of z from many points, all divided by the lengthscales already. Points are the
// rows here, so that one coordinate of all points lies side by side in memory.
void squared_distances(const Eigen::Ref<const Matrix>& scaled_rows, const Eigen::Ref<const Vector>& scaled_z,
                       Eigen::Ref<Vector> out);

// Throws InputError unless the signal variance and every lengthscale are positive and finite.
void validate(const Covariance& covariance);

}  // namespace hunch
