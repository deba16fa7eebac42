#include "hunch/surrogate/covariance.hpp"

#include <cmath>

namespace hunch {

namespace {
const double sqrt5 = std::sqrt(5.0);
}

Radial radial(CovarianceFamily family, double s) {
  if (family == CovarianceFamily::squared_exponential) {
    const double phi = std::exp(-0.5 * s);
    return {phi, -0.5 * phi, 0.25 * phi, -0.125 * phi};
  }
  const double ar = sqrt5 * std::sqrt(s);
  const double e = std::exp(-ar);
  const double third = s > 0 ? -(25.0 / 24.0) * 5.0 * e / ar : 0.0;
  return {(1 + ar + ar * ar / 3) * e, -(5.0 / 6.0) * (1 + ar) * e, (25.0 / 12.0) * e, third};
}

void cross_covariance(const Covariance& covariance, const Matrix& scaled_points, const Vector& scaled_z, Vector& out) {
  out = (scaled_points.colwise() - scaled_z).colwise().squaredNorm().transpose();
  if (covariance.family == CovarianceFamily::squared_exponential) {
    out = covariance.signal_variance * (-0.5 * out.array()).exp();
  } else {
    out = (5.0 * out.array()).sqrt();
    out = covariance.signal_variance * (1 + out.array() + out.array().square() / 3) * (-out.array()).exp();
  }
}

}  // namespace hunch
