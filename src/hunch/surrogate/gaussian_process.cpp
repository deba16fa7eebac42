#include "hunch/surrogate/gaussian_process.hpp"

#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

// Positions are handled in blocks of this many: a block reads the whole factor once, at matrix-matrix speed,
// while its covariances stay in cache.
constexpr Index position_block = 256;

}  // namespace

GaussianProcess::Prediction GaussianProcess::predict(const Vector& z) const {
  check_dimension("z", z.size());
  Matrix k = covariance_with_points(scaled(z));
  const double mean = affine_mean(k.col(0)).dot(Eigen::Vector2d(1, prior_mean_));
  factor_.solve_lower(k.topRows(size()));
  return {mean, remaining_variance(k.col(0))};
}

GaussianProcess::Predictions GaussianProcess::predict(const Matrix& zs) const {
  check_dimension("zs", zs.rows());
  Predictions out{Vector(zs.cols()), Vector(zs.cols())};
  for (Index start = 0; start < zs.cols(); start += position_block) {
    const Index width = std::min(position_block, zs.cols() - start);
    Matrix k = covariance_with_points(scaled(zs.middleCols(start, width)));
    for (Index j = 0; j < width; ++j) {
      out.means(start + j) = affine_mean(k.col(j)).dot(Eigen::Vector2d(1, prior_mean_));
    }
    factor_.solve_lower(k.topRows(size()));
    for (Index j = 0; j < width; ++j) out.variances(start + j) = remaining_variance(k.col(j));
  }
  return out;
}

double GaussianProcess::mean(const Vector& z) const {
  check_dimension("z", z.size());
  const Matrix k = covariance_with_points(scaled(z));
  return affine_mean(k.col(0)).dot(Eigen::Vector2d(1, prior_mean_));
}

Vector GaussianProcess::mean_gradient(const Vector& z) const {
  check_dimension("z", z.size());
  const Vector at = scaled(z);
  Vector slopes(scaled_rows_.rows());
  if (size() == 0 || !at.allFinite()) return Vector::Zero(dimension());
  squared_distances(scaled_rows_, at, slopes);
  to_correlation_slope(covariance_.family, slopes.array());
  // d mean / d z_j = sum_i w_i 2 (z_j - x_ij) / l_j^2,  w_i = (a + (c - m) b)_i signal_variance phi'(s_i).
  slopes.head(size()).array() *=
      weights_.col(0).array() + (reference_ - prior_mean_) * weights_.col(1).array();
  slopes.tail(slopes.size() - size()).setZero();
  Vector gradient(dimension());
  for (Index j = 0; j < dimension(); ++j) {
    gradient(j) = slopes.dot((at(j) - scaled_rows_.col(j).array()).matrix());
  }
  gradient.array() *= 2 * covariance_.signal_variance / covariance_.lengthscales.array();
  if (!gradient.allFinite()) gradient.setZero();
  return gradient;
}

GaussianProcess::MeansAndGradients GaussianProcess::means_and_gradients(const Matrix& zs) const {
  MeansAndGradients out{Vector(zs.cols()), Matrix(dimension(), zs.cols())};
  for (Index j = 0; j < zs.cols(); ++j) {
    out.means(j) = mean(zs.col(j));
    out.gradients.col(j) = mean_gradient(zs.col(j));
  }
  return out;
}

PairBelief GaussianProcess::pair(const Vector& x, const Vector& y) const {
  check_dimension("x", x.size());
  check_dimension("y", y.size());
  Matrix both(dimension(), 2);
  both << x, y;
  const Matrix at = scaled(both);
  Matrix k = covariance_with_points(at);
  const Eigen::Vector2d mean_x = affine_mean(k.col(0));
  const Eigen::Vector2d mean_y = affine_mean(k.col(1));
  factor_.solve_lower(k.topRows(size()));
  const double var_x = remaining_variance(k.col(0));
  const double var_y = remaining_variance(k.col(1));
  double prior = 0;
  if (at.allFinite()) {
    prior =
        covariance_.signal_variance * radial(covariance_.family, (at.col(0) - at.col(1)).squaredNorm()).phi;
  }
  if (!std::isfinite(prior)) prior = 0;
  const double limit = std::sqrt(var_x) * std::sqrt(var_y);
  double cross = prior - k.col(0).dot(k.col(1));
  cross = std::isfinite(cross) ? std::clamp(cross, -limit, limit) : 0.0;
  PairBelief belief{Vector(2), Vector(2), Matrix(2, 2), prior_mean_};
  belief.offset << mean_x(0), mean_y(0);
  belief.slope << mean_x(1), mean_y(1);
  belief.covariance << var_x, cross, cross, var_y;
  return belief;
}

Matrix GaussianProcess::scaled(const Eigen::Ref<const Matrix>& columns) const {
  return columns.array().colwise() / covariance_.lengthscales.array();
}

Matrix GaussianProcess::covariance_with_points(const Eigen::Ref<const Matrix>& scaled_columns) const {
  Matrix k(scaled_rows_.rows(), scaled_columns.cols());
  for (Index j = 0; j < k.cols(); ++j) {
    if (scaled_columns.col(j).allFinite()) {
      squared_distances(scaled_rows_, scaled_columns.col(j), k.col(j));
    } else {
      k.col(j).setConstant(infinity);
    }
  }
  to_correlation(covariance_.family, k.array());
  k *= covariance_.signal_variance;
  k.bottomRows(k.rows() - size()).setZero();
  return k;
}

Eigen::Vector2d GaussianProcess::affine_mean(const Eigen::Ref<const Vector>& k) const {
  const double kb = k.head(size()).dot(weights_.col(1));
  const double offset = k.head(size()).dot(weights_.col(0)) + reference_ * kb;
  if (!std::isfinite(offset) || !std::isfinite(kb)) return {0.0, 1.0};
  return {offset, 1 - kb};
}

double GaussianProcess::remaining_variance(const Eigen::Ref<const Vector>& solved) const {
  const double variance = covariance_.signal_variance - solved.squaredNorm();
  if (std::isnan(variance)) return covariance_.signal_variance;
  return std::max(variance, 0.0);
}

}  // namespace hunch
