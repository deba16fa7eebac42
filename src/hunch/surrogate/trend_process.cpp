#include "hunch/surrogate/trend_process.hpp"

#include <cmath>
#include <utility>

#include "hunch/surrogate/covariance.hpp"

namespace hunch {

namespace {

// Squared distances between columns that are divided by the lengthscales already.
Matrix squared_distances_between(const Matrix& a, const Matrix& b) {
  Matrix s = -2.0 * (a.transpose() * b);
  s.colwise() += a.colwise().squaredNorm().transpose();
  s.rowwise() += b.colwise().squaredNorm();
  return s.cwiseMax(0.0);
}

// What does not decay: the trend's covariance.
Matrix trend_part(const TrendCovariance& c, const Matrix& a, const Matrix& b) {
  const Matrix products = a.transpose() * b;
  Matrix k = c.quadratic * (products.array() * (4.0 + products.array())).matrix();
  const Vector qa = 0.5 * a.colwise().squaredNorm().transpose();
  const Vector qb = 0.5 * b.colwise().squaredNorm().transpose();
  k += c.bowl * qa * qb.transpose();
  k.array() += c.constant;
  return k;
}

Matrix covariance_between(const TrendCovariance& c, const Matrix& a, const Matrix& b) {
  const Vector inverse = c.lengthscales.cwiseInverse();
  const Matrix s = squared_distances_between(inverse.asDiagonal() * a, inverse.asDiagonal() * b);
  Matrix k = trend_part(c, a, b);
  Eigen::ArrayXXd part = s.array();
  to_correlation(CovarianceFamily::squared_exponential, part);
  k.array() += c.signal * part;
  if (c.rough > 0) {
    part = s.array();
    to_correlation(CovarianceFamily::matern52, part);
    k.array() += c.rough * part;
  }
  return k;
}

}  // namespace

Matrix trend_covariance_matrix(const TrendCovariance& covariance, const Matrix& points) {
  return covariance_between(covariance, points, points);
}

TrendProcess::TrendProcess(TrendCovariance covariance, Matrix points, Vector values, Vector noise_variances)
    : covariance_(std::move(covariance)), points_(std::move(points)), values_(std::move(values)) {
  scaled_rows_ = points_.transpose() * covariance_.lengthscales.cwiseInverse().asDiagonal();
  Matrix k = trend_covariance_matrix(covariance_, points_);
  k.diagonal() += noise_variances;
  // The vague terms dwarf the noise: rounding may cost definiteness where points nearly coincide.
  Eigen::LLT<Matrix> llt(k);
  for (double jitter = 1e-12; llt.info() != Eigen::Success && jitter < 1; jitter *= 100) {
    k.diagonal().array() += jitter * k.diagonal().maxCoeff();
    llt.compute(k);
  }
  lower_ = llt.matrixL();
  weights_ = llt.solve(values_);
  weights_ += llt.solve(values_ - k * weights_);  // one step of refinement

  const Vector q = 0.5 * points_.colwise().squaredNorm().transpose();
  level_ = covariance_.constant * weights_.sum();
  slope_ = 4 * covariance_.quadratic * (points_ * weights_);
  bowl_curvature_ = covariance_.bowl * weights_.dot(q);
  curvature_ = 2 * covariance_.quadratic * (points_ * weights_.asDiagonal() * points_.transpose());
  curvature_.diagonal().array() += bowl_curvature_;
}

double TrendProcess::mean(const Vector& z, Workspace& w) const {
  w.scaled = z.cwiseQuotient(covariance_.lengthscales);
  w.distances.resize(size());
  squared_distances(scaled_rows_, w.scaled, w.distances);
  double decaying = 0;
  if (covariance_.rough > 0) {
    w.slopes = w.distances;
    to_correlation(CovarianceFamily::matern52, w.slopes.array());
    decaying = covariance_.rough * weights_.dot(w.slopes);
  }
  to_correlation(CovarianceFamily::squared_exponential, w.distances.array());
  decaying += covariance_.signal * weights_.dot(w.distances);
  w.scaled.noalias() = curvature_ * z;
  return decaying + level_ + slope_.dot(z) + 0.5 * z.dot(w.scaled);
}

double TrendProcess::mean_and_gradient(const Vector& z, Vector& gradient, Workspace& w) const {
  w.scaled = z.cwiseQuotient(covariance_.lengthscales);
  w.distances.resize(size());
  squared_distances(scaled_rows_, w.scaled, w.distances);
  gradient.setZero(z.size());
  double decaying = 0;
  const auto add = [&](CovarianceFamily family, double variance, Vector& s) {
    w.slopes.resize(size());
    to_correlation_and_slope(family, s.array(), w.slopes.array());
    decaying += variance * weights_.dot(s);
    w.slopes.array() *= weights_.array();
    // d s / d z_j = 2 (z_j - z_ij) / l_j^2, and rows are divided by l already.
    gradient += 2 * variance *
                (w.slopes.sum() * w.scaled - scaled_rows_.transpose() * w.slopes)
                    .cwiseQuotient(covariance_.lengthscales);
  };
  if (covariance_.rough > 0) {
    Vector distances = w.distances;
    add(CovarianceFamily::matern52, covariance_.rough, distances);
  }
  add(CovarianceFamily::squared_exponential, covariance_.signal, w.distances);
  w.scaled.noalias() = curvature_ * z;
  gradient += slope_ + w.scaled;
  return decaying + level_ + slope_.dot(z) + 0.5 * z.dot(w.scaled);
}

Vector TrendProcess::means(const Matrix& zs) const {
  Vector result(zs.cols());
  Workspace workspace;
  for (Index i = 0; i < zs.cols(); ++i) result[i] = mean(zs.col(i), workspace);
  return result;
}

Matrix TrendProcess::cross(const Matrix& zs) const {
  return covariance_between(covariance_, points_, zs);
}

Vector TrendProcess::prior_variances(const Matrix& zs) const {
  const Eigen::ArrayXd squares = zs.colwise().squaredNorm().transpose();
  return (covariance_.signal + covariance_.rough + covariance_.constant +
          0.25 * covariance_.bowl * squares.square() + covariance_.quadratic * squares * (4.0 + squares))
      .matrix();
}

Vector TrendProcess::variances(const Matrix& zs) const {
  const Matrix solved = lower_.triangularView<Eigen::Lower>().solve(cross(zs));
  return (prior_variances(zs) - solved.colwise().squaredNorm().transpose()).cwiseMax(0.0);
}

TrendProcess::Joint TrendProcess::joint(const Matrix& zs) const {
  const Matrix solved = lower_.triangularView<Eigen::Lower>().solve(cross(zs));
  Matrix covariance = trend_covariance_matrix(covariance_, zs) - solved.transpose() * solved;
  covariance.diagonal() = covariance.diagonal().cwiseMax(0.0);
  return {means(zs), std::move(covariance)};
}

}  // namespace hunch
