#include "hunch/surrogate/marginal_likelihood.hpp"

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/surrogate/cholesky_inverse.hpp"

namespace hunch {

namespace {

// C = phi(points, points) + relative_jitter * I, the covariance matrix over the signal variance, and what the
// likelihood and its gradient need of it.
struct Correlation {
  Matrix rows;    // n x d, centred and divided by the lengthscales
  Matrix slopes;  // phi'(s_ij)
  Eigen::LLT<Matrix> factor;
  double log_determinant;

  bool usable() const { return std::isfinite(log_determinant); }
};

Correlation correlation_of(CovarianceFamily family, const Vector& lengthscales, const Matrix& points,
                           double relative_jitter) {
  const Index n = points.cols();
  Correlation out{Matrix(n, points.rows()), Matrix(n, n), {}, 0};
  const Vector centre = points.rowwise().mean();
  out.rows = ((points.colwise() - centre).array().colwise() / lengthscales.array()).transpose();
  Matrix c(n, n);
  for (Index i = 0; i < n; ++i) squared_distances(out.rows, out.rows.row(i).transpose(), c.col(i));
  to_correlation_and_slope(family, c.array(), out.slopes.array());
  c.diagonal().array() += relative_jitter;
  out.factor.compute(c);
  const auto pivots = out.factor.matrixLLT().diagonal().array();
  const bool sound = out.factor.info() == Eigen::Success && (pivots > 0).all();
  out.log_determinant = sound ? 2 * pivots.log().sum() : infinity;
  return out;
}

Matrix inverse(const Eigen::LLT<Matrix>& factor) {
  Matrix result = factor.matrixLLT();
  invert_from_factor(result);
  result.triangularView<Eigen::StrictlyUpper>() = result.transpose();
  return result;
}

// The gradient with respect to log lengthscales: half the trace of (alpha alpha' / signal_variance - C^-1)
// dC, where dC_ij = -2 phi'(s_ij) (x_ik - x_jk)^2 for dimension k and alpha = C^-1 (values - prior mean).
Vector lengthscale_gradient(const Correlation& c, const Matrix& inverse_c, const Vector& alpha,
                            double signal_variance) {
  Matrix weights = alpha * (alpha.transpose() / signal_variance) - inverse_c;
  weights.array() *= c.slopes.array();
  const Vector sums = weights.rowwise().sum();
  const Matrix moved = weights * c.rows;
  Vector gradient(c.rows.cols());
  for (Index k = 0; k < gradient.size(); ++k) {
    gradient(k) = -2 * (sums.dot(c.rows.col(k).cwiseAbs2()) - c.rows.col(k).dot(moved.col(k)));
  }
  return gradient;
}

}  // namespace

MarginalLikelihood marginal_likelihood(const Covariance& covariance, const Matrix& points,
                                       const Vector& values, double prior_mean, double relative_jitter) {
  const Index d = points.rows();
  const double n = static_cast<double>(points.cols());
  const Correlation c = correlation_of(covariance.family, covariance.lengthscales, points, relative_jitter);
  if (!c.usable()) return {-infinity, Vector::Zero(d + 1)};
  const Vector residuals = values.array() - prior_mean;
  const Vector alpha = c.factor.solve(residuals);
  const double misfit = residuals.dot(alpha) / covariance.signal_variance;
  MarginalLikelihood out;
  out.value = -0.5 * (misfit + c.log_determinant + n * (log_two_pi + std::log(covariance.signal_variance)));
  out.gradient.resize(d + 1);
  out.gradient.head(d) = lengthscale_gradient(c, inverse(c.factor), alpha, covariance.signal_variance);
  out.gradient(d) = 0.5 * (misfit - n);
  return out;
}

ProfiledLikelihood profiled_likelihood(CovarianceFamily family, const Vector& lengthscales,
                                       const Matrix& points, const Vector& values, double relative_jitter) {
  const double n = static_cast<double>(points.cols());
  const ProfiledLikelihood unusable{-infinity, Vector::Zero(points.rows()), values.mean(), 1};
  const Correlation c = correlation_of(family, lengthscales, points, relative_jitter);
  if (!c.usable()) return unusable;
  const double reference = values.mean();  // keeps a large constant out of the ill-conditioned solve
  Matrix both(points.cols(), 2);
  both.col(0) = values.array() - reference;
  both.col(1).setOnes();
  const Matrix solved = c.factor.solve(both);
  const double shift = both.col(0).dot(solved.col(1)) / solved.col(1).sum();
  const Vector alpha = solved.col(0) - shift * solved.col(1);
  const double signal_variance = (both.col(0).array() - shift).matrix().dot(alpha) / n;
  if (!(signal_variance > 0) || !std::isfinite(signal_variance)) return unusable;
  ProfiledLikelihood out{0, {}, reference + shift, signal_variance};
  out.value = -0.5 * (n * (log_two_pi + 1 + std::log(signal_variance)) + c.log_determinant);
  out.gradient = lengthscale_gradient(c, inverse(c.factor), alpha, signal_variance);
  return out;
}

}  // namespace hunch
