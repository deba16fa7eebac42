#include "hunch/surrogate/covariance.hpp"

#include <cmath>

namespace hunch {

namespace {

const double sqrt5 = std::sqrt(5.0);

// From here on exp(-r) counts as nothing: 1e-100. Subtracting `nothing` and cutting at 0 gives exactly 0
// there, without a branch, and changes no bit where exp(-r) > 1e-84.
constexpr double reach = 230;
const double nothing = 1.001 * std::exp(-reach);

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
    s = ((s.min(2 * reach) * -0.5).exp() - nothing).max(0.0);
    return;
  }
  s = (5.0 * s).sqrt().min(reach);
  s = (1 + s + s.square() * (1.0 / 3.0)) * ((-s).exp() - nothing).max(0.0);
}

void to_correlation_slope(CovarianceFamily family, Eigen::Ref<Eigen::ArrayXXd> s) {
  if (family == CovarianceFamily::squared_exponential) {
    s = ((s.min(2 * reach) * -0.5).exp() - nothing).max(0.0) * -0.5;
    return;
  }
  s = (5.0 * s).sqrt().min(reach);
  s = (1 + s) * ((-s).exp() - nothing).max(0.0) * (-5.0 / 6.0);
}

void to_correlation_bend(CovarianceFamily family, Eigen::Ref<Eigen::ArrayXXd> s) {
  if (family == CovarianceFamily::squared_exponential) {
    s = ((s.min(2 * reach) * -0.5).exp() - nothing).max(0.0) * 0.25;
    return;
  }
  s = ((-(5.0 * s).sqrt().min(reach)).exp() - nothing).max(0.0) * (25.0 / 12.0);
}

void to_correlation_and_slope(CovarianceFamily family, Eigen::Ref<Eigen::ArrayXXd> s,
                              Eigen::Ref<Eigen::ArrayXXd> slope) {
  if (family == CovarianceFamily::squared_exponential) {
    to_correlation(family, s);
    slope = -0.5 * s;
    return;
  }
  s = (5.0 * s).sqrt().min(reach);
  slope = (1 + s) * ((-s).exp() - nothing).max(0.0);
  s = slope * (1 + s.square() / (3 * (1 + s)));
  slope *= -5.0 / 6.0;
}

void squared_distances(const Eigen::Ref<const Matrix>& scaled_rows, const Eigen::Ref<const Vector>& scaled_z,
                       Eigen::Ref<Vector> out) {
  const auto squared = [&](Index j) { return (scaled_rows.col(j).array() - scaled_z(j)).square(); };
  const Index d = scaled_rows.cols();
  // Three dimensions per pass: the sums pass through memory less often.
  Index j = d % 3;
  if (j == 0) out.setZero();
  if (j == 1) out = squared(0);
  if (j == 2) out = squared(0) + squared(1);
  for (; j < d; j += 3) out.array() += squared(j) + squared(j + 1) + squared(j + 2);
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
