#include "hunch/surrogate/trend_process.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hunch/surrogate/covariance.hpp"

namespace hunch {

Vector TrendData::numbers() const {
  if (sloped() == 0) return values;
  Vector all(values.size() + gradients.size());
  all << values, gradients.transpose().reshaped();
  return all;
}

Vector TrendData::all_noise_variances() const {
  if (sloped() == 0) return noise_variances;
  Vector all(values.size() + gradients.size());
  all << noise_variances, Vector::Constant(gradients.size(), gradient_noise_variance);
  return all;
}

TrendProcess::TrendProcess(TrendCovariance covariance, TrendData data)
    : covariance_(std::move(covariance)), points_(std::move(data.points)) {
  const Index sloped = data.sloped();
  scaled_rows_ = points_.transpose() * covariance_.lengthscales.cwiseInverse().asDiagonal();
  Matrix k = trend_covariance_matrix(covariance_, points_, sloped);
  k.diagonal() += data.all_noise_variances();
  // The vague terms dwarf the noise, by many orders far away: rounding may cost definiteness where points
  // nearly coincide. It is relative to each point's own variance, and so is what is added.
  Eigen::LLT<Matrix> llt(k);
  for (double jitter = 1e-13; llt.info() != Eigen::Success && jitter < 1; jitter *= 10) {
    k.diagonal() *= 1 + jitter;
    llt.compute(k);
  }
  lower_ = llt.matrixL();
  const Vector numbers = data.numbers();
  Vector weights = llt.solve(numbers);
  weights += llt.solve(numbers - k * weights);  // one step of refinement
  weights_ = weights.head(size());

  half_squares_ = 0.5 * points_.colwise().squaredNorm().transpose();
  level_ = covariance_.constant * weights_.sum();
  slope_ = 4 * covariance_.quadratic * (points_ * weights_);
  bowl_curvature_ = covariance_.bowl * weights_.dot(half_squares_);
  curvature_ = 2 * covariance_.quadratic * (points_ * weights_.asDiagonal() * points_.transpose());
  if (sloped > 0) add_gradients(weights.tail(weights.size() - size()).reshaped(sloped, points_.rows()));
  curvature_.diagonal().array() += bowl_curvature_;
}

// Their weights, one row for each point: the derivatives of the trend with respect to the points, and what
// the decaying parts need.
void TrendProcess::add_gradients(const Matrix& weights) {
  const auto points = points_.leftCols(weights.rows());
  slope_ += 4 * covariance_.quadratic * weights.colwise().sum().transpose();
  bowl_curvature_ += covariance_.bowl * points.transpose().cwiseProduct(weights).sum();
  const Matrix products = points * weights;
  curvature_ += 2 * covariance_.quadratic * (products + products.transpose());
  gradient_weights_ = weights * covariance_.lengthscales.cwiseInverse().asDiagonal();
  gradient_offsets_ = gradient_weights_.cwiseProduct(scaled_rows_.topRows(weights.rows())).rowwise().sum();
}

// With s the squared distance from point i in lengthscales, dk/dz_i = -2 phi'(s) (z - z_i) / l^2.
double TrendProcess::mean(const Vector& z, Workspace& w) const {
  const Index sloped = gradient_offsets_.size();
  w.scaled = z.cwiseQuotient(covariance_.lengthscales);
  w.distances.resize(size());
  squared_distances(scaled_rows_, w.scaled, w.distances);
  if (sloped > 0) look_along(w);
  double decaying = 0;
  if (covariance_.rough > 0) {
    w.slopes = w.distances;
    to_correlation(CovarianceFamily::matern52, w.slopes.array());
    decaying = covariance_.rough * weights_.dot(w.slopes);
    if (sloped > 0) {
      w.bends = w.distances.head(sloped);
      to_correlation_slope(CovarianceFamily::matern52, w.bends.array());
      decaying -= 2 * covariance_.rough * w.along.dot(w.bends);
    }
  }
  to_correlation(CovarianceFamily::squared_exponential, w.distances.array());
  decaying += covariance_.signal * weights_.dot(w.distances);
  if (sloped > 0) decaying += covariance_.signal * w.along.dot(w.distances.head(sloped));
  w.scaled.noalias() = curvature_ * z;
  return decaying + level_ + slope_.dot(z) + 0.5 * z.dot(w.scaled);
}

// v_i.(z - z_i) / l^2 for each gradient's weights v_i.
void TrendProcess::look_along(Workspace& w) const {
  w.along.noalias() = gradient_weights_ * w.scaled;
  w.along -= gradient_offsets_;
}

double TrendProcess::mean_and_gradient(const Vector& z, Vector& gradient, Workspace& w) const {
  const Index sloped = gradient_offsets_.size();
  w.scaled = z.cwiseQuotient(covariance_.lengthscales);
  w.distances.resize(size());
  squared_distances(scaled_rows_, w.scaled, w.distances);
  if (sloped > 0) look_along(w);
  gradient.setZero(z.size());
  double decaying = 0;
  const auto add = [&](CovarianceFamily family, double variance, Vector& s) {
    w.slopes.resize(size());
    if (sloped > 0) {
      w.bends = s.head(sloped);
      to_correlation_bend(family, w.bends.array());
    }
    to_correlation_and_slope(family, s.array(), w.slopes.array());
    decaying += variance * weights_.dot(s);
    if (sloped > 0) {
      const auto first = w.slopes.head(sloped);
      decaying -= 2 * variance * w.along.dot(first);
      w.pull.noalias() = gradient_weights_.transpose() * first;
      gradient -= 2 * variance * w.pull.cwiseQuotient(covariance_.lengthscales);
    }
    w.slopes.array() *= weights_.array();
    if (sloped > 0) w.slopes.head(sloped) -= 2 * w.bends.cwiseProduct(w.along);
    // d s / d z_j = 2 (z_j - z_ij) / l_j^2, and rows are divided by l already.
    w.pull.noalias() = scaled_rows_.transpose() * w.slopes;
    gradient += 2 * variance * (w.slopes.sum() * w.scaled - w.pull).cwiseQuotient(covariance_.lengthscales);
  };
  if (covariance_.rough > 0) {
    w.part = w.distances;
    add(CovarianceFamily::matern52, covariance_.rough, w.part);
  }
  add(CovarianceFamily::squared_exponential, covariance_.signal, w.distances);
  w.scaled.noalias() = curvature_ * z;
  gradient += slope_ + w.scaled;
  return decaying + level_ + slope_.dot(z) + 0.5 * z.dot(w.scaled);
}

// The same as of many, for one point.
double TrendProcess::variance(const Vector& z, Workspace& w) const {
  if (gradient_offsets_.size() > 0) return variances(z)[0];
  const TrendCovariance& c = covariance_;
  w.scaled = z.cwiseQuotient(c.lengthscales);
  w.distances.resize(size());
  squared_distances(scaled_rows_, w.scaled, w.distances);
  const double square = z.squaredNorm();
  w.slopes.noalias() = points_.transpose() * z;
  w.slopes.array() = c.quadratic * w.slopes.array() * (4.0 + w.slopes.array()) + c.constant +
                     0.5 * c.bowl * square * half_squares_.array();
  if (c.rough > 0) {
    w.part = w.distances;
    to_correlation(CovarianceFamily::matern52, w.part.array());
    w.slopes += c.rough * w.part;
  }
  to_correlation(CovarianceFamily::squared_exponential, w.distances.array());
  w.slopes += c.signal * w.distances;
  lower_.triangularView<Eigen::Lower>().solveInPlace(w.slopes);
  return std::max(0.0, prior_variance(square) - w.slopes.squaredNorm());
}

Vector TrendProcess::means(const Matrix& zs) const {
  Vector result(zs.cols());
  Workspace workspace;
  for (Index i = 0; i < zs.cols(); ++i) result[i] = mean(zs.col(i), workspace);
  return result;
}

Matrix TrendProcess::cross(const Matrix& zs) const {
  const Index sloped = gradient_offsets_.size();
  Matrix values = covariance_of_values(covariance_, points_, zs);
  if (sloped == 0) return values;
  Matrix all(lower_.rows(), zs.cols());
  all << values, covariance_of_gradients_and_values(covariance_, points_.leftCols(sloped), zs);
  return all;
}

double TrendProcess::prior_variance(double square) const {
  return covariance_.signal + covariance_.rough + covariance_.constant +
         0.25 * covariance_.bowl * square * square + covariance_.quadratic * square * (4.0 + square);
}

Vector TrendProcess::variances(const Matrix& zs) const {
  const Matrix solved = lower_.triangularView<Eigen::Lower>().solve(cross(zs));
  Vector result(zs.cols());
  for (Index i = 0; i < zs.cols(); ++i)
    result[i] = std::max(0.0, prior_variance(zs.col(i).squaredNorm()) - solved.col(i).squaredNorm());
  return result;
}

TrendProcess::Joint TrendProcess::joint(const Matrix& zs) const {
  const Matrix solved = lower_.triangularView<Eigen::Lower>().solve(cross(zs));
  Matrix covariance = trend_covariance_matrix(covariance_, zs) - solved.transpose() * solved;
  covariance.diagonal() = covariance.diagonal().cwiseMax(0.0);
  return {means(zs), std::move(covariance)};
}

}  // namespace hunch
