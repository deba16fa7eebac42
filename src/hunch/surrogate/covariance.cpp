#include "hunch/surrogate/covariance.hpp"

#include <cmath>

namespace hunch {

namespace {
const double sqrt5 = std::sqrt(5.0);
const double squared_exponential_reach = 460;  // exp(-460 / 2) = 1e-100
const double matern_reach = 1.15e4;            // the same for (1 + r + r^2 / 3) exp(-r), r = sqrt(5 s)
}  // namespace

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

void to_correlation(CovarianceFamily family, Eigen::Ref<Eigen::ArrayXXd> s) {
  if (family == CovarianceFamily::squared_exponential) {
    s = (s < squared_exponential_reach).select((-0.5 * s).exp(), 0.0);
    return;
  }
  s = (s < matern_reach).select(s, matern_reach);
  s = (5.0 * s).sqrt();
  const double last = std::sqrt(5.0 * matern_reach);
  s = (s < last).select((1 + s + s.square() / 3) * (-s).exp(), 0.0);
}

void to_correlation_slope(CovarianceFamily family, Eigen::Ref<Eigen::ArrayXXd> s) {
  if (family == CovarianceFamily::squared_exponential) {
    s = (s < squared_exponential_reach).select(-0.5 * (-0.5 * s).exp(), 0.0);
    return;
  }
  s = (s < matern_reach).select(s, matern_reach);
  s = (5.0 * s).sqrt();
  const double last = std::sqrt(5.0 * matern_reach);
  s = (s < last).select(-(5.0 / 6.0) * (1 + s) * (-s).exp(), 0.0);
}

void to_correlation_and_slope(CovarianceFamily family, Eigen::Ref<Eigen::ArrayXXd> s,
                              Eigen::Ref<Eigen::ArrayXXd> slope) {
  if (family == CovarianceFamily::squared_exponential) {
    to_correlation(family, s);
    slope = -0.5 * s;
    return;
  }
  s = (s < matern_reach).select(s, matern_reach);
  s = (5.0 * s).sqrt();
  const double last = std::sqrt(5.0 * matern_reach);
  const Eigen::ArrayXXd decay = (s < last).select((-s).exp(), 0.0);
  slope = -(5.0 / 6.0) * (1 + s) * decay;
  s = (1 + s + s.square() / 3) * decay;
}

void squared_distances(const Eigen::Ref<const Matrix>& scaled_rows, const Eigen::Ref<const Vector>& scaled_z,
                       Eigen::Ref<Vector> out) {
  out.setZero();
  for (Index j = 0; j < scaled_rows.cols(); ++j) {
    out.array() += (scaled_rows.col(j).array() - scaled_z(j)).square();
  }
}

void cross_covariance(const Covariance& covariance, const Matrix& scaled_points, const Vector& scaled_z,
                      Vector& out) {
  out = (scaled_points.colwise() - scaled_z).colwise().squaredNorm().transpose();
  to_correlation(covariance.family, out.array());
  out *= covariance.signal_variance;
}

void validate(const Covariance& covariance) {
  const auto positive = [](double v) { return v > 0 && std::isfinite(v); };
  if (!positive(covariance.signal_variance)) {
    throw InputError("covariance.signal_variance: got " + std::to_string(covariance.signal_variance) +
                     ", expected positive and finite");
  }
  for (double lengthscale : covariance.lengthscales) {
    if (positive(lengthscale)) continue;
    throw InputError("covariance.lengthscales: got " + std::to_string(lengthscale) +
                     ", expected positive and finite");
  }
}

}  // namespace hunch
