#include "hunch/surrogate/joint_process.hpp"

#include <cmath>

#include "hunch/surrogate/joint_blocks.hpp"
#include "hunch/surrogate/panel.hpp"

namespace hunch {

namespace {

// What a subtraction may have cost a covariance: variances below zero, correlations beyond one.
void make_consistent(Matrix& covariance, const Vector& prior_variances) {
  const Vector variances = covariance.diagonal().cwiseMax(0.0).cwiseMin(prior_variances);
  const Vector deviations = variances.cwiseSqrt();
  for (Index j = 0; j < covariance.cols(); ++j) {
    for (Index i = 0; i < covariance.rows(); ++i) {
      const double bound = deviations(i) * deviations(j);
      covariance(i, j) = i == j ? variances(i) : std::fmin(std::fmax(covariance(i, j), -bound), bound);
    }
  }
}

}  // namespace

Matrix JointProcess::prior_block(const Vector& scaled_x, const Vector& scaled_y) const {
  RowMatrix block(dimension() + 1, dimension() + 1);
  fill_cross_block(covariance_.family, scaled_x, scaled_y, block, 0);
  return block;
}

JointProcess::Prediction JointProcess::predict(const Vector& z) const {
  const Vector scaled = z.cwiseQuotient(covariance_.lengthscales);
  if (!is_usable(scaled)) return {prior_mean_, covariance_.signal_variance};
  RowMatrix cross = RowMatrix::Zero(factor_.size(), dimension() + 1);
  fill_cross_block(covariance_.family, scaled_points_, scaled, cross, 0);
  RowMatrix panel = RowMatrix::Zero(factor_.size(), panel_width(1));
  panel.col(0) = cross.col(0);
  factor_.solve_lower_panel(panel);
  const double left = 1 - panel_gram(panel)(0, 0);
  return {mean(z), covariance_.signal_variance * std::fmin(std::fmax(left, 0.0), 1.0)};
}

double JointProcess::mean(const Vector& z) const {
  const Vector scaled = z.cwiseQuotient(covariance_.lengthscales);
  if (!is_usable(scaled)) return prior_mean_;
  const Index d = dimension();
  const RadialArrays at = radial_arrays(covariance_.family, scaled_points_, scaled);
  double sum = 0;
  for (Index i = 0; i < size(); ++i) {
    const double along = (scaled_points_.col(i) - scaled).dot(mean_weights_.col(i).tail(d));
    sum += at.phi(i) * mean_weights_(0, i) + 2 * at.d1(i) * along;
  }
  return prior_mean_ + sum;
}

Vector JointProcess::mean_gradient(const Vector& z) const {
  const Vector scaled = z.cwiseQuotient(covariance_.lengthscales);
  const Index d = dimension();
  Vector sum = Vector::Zero(d);
  if (!is_usable(scaled)) return sum;
  const RadialArrays at = radial_arrays(covariance_.family, scaled_points_, scaled);
  for (Index i = 0; i < size(); ++i) {
    const double along = (scaled_points_.col(i) - scaled).dot(mean_weights_.col(i).tail(d));
    const double pull = 2 * at.d1(i) * mean_weights_(0, i) + 4 * at.d2(i) * along;
    sum -= pull * (scaled_points_.col(i) - scaled) + 2 * at.d1(i) * mean_weights_.col(i).tail(d);
  }
  return sum.cwiseQuotient(covariance_.lengthscales);
}

PairBelief JointProcess::pair(const Vector& x, const Vector& y) const {
  const Index half = dimension() + 1;
  const Vector ends[2] = {x.cwiseQuotient(covariance_.lengthscales),
                          y.cwiseQuotient(covariance_.lengthscales)};
  RowMatrix panel = RowMatrix::Zero(factor_.size(), panel_width(2 * half));
  Matrix covariance = Matrix::Zero(2 * half, 2 * half);
  for (Index e = 0; e < 2; ++e) {
    covariance.block(e * half, e * half, half, half) =
        prior_block(Vector::Zero(half - 1), Vector::Zero(half - 1));
    if (is_usable(ends[e])) fill_cross_block(covariance_.family, scaled_points_, ends[e], panel, e * half);
  }
  if (is_usable(ends[0]) && is_usable(ends[1])) {
    covariance.topRightCorner(half, half) = prior_block(ends[0], ends[1]);
    covariance.bottomLeftCorner(half, half) = covariance.topRightCorner(half, half).transpose();
  }
  const Vector prior_variances = covariance.diagonal();
  const Matrix products = panel_product(panel, weights_).topRows(2 * half);
  Matrix affine(2 * half, 2);
  affine << products.col(0) + reference_ * products.col(1), -products.col(1);
  affine(0, 1) += 1;
  affine(half, 1) += 1;

  factor_.solve_lower_panel(panel);
  covariance -= panel_gram(panel).topLeftCorner(2 * half, 2 * half);
  make_consistent(covariance, prior_variances);
  return in_original_units(affine, covariance);
}

PairBelief JointProcess::in_original_units(const Matrix& affine, const Matrix& scaled_covariance) const {
  const Index half = dimension() + 1;
  Vector unit(2 * half);
  unit << 1, covariance_.lengthscales.cwiseInverse(), 1, covariance_.lengthscales.cwiseInverse();
  PairBelief belief{affine.col(0).cwiseProduct(unit), affine.col(1).cwiseProduct(unit), Matrix(),
                    prior_mean_};
  belief.covariance = scaled_covariance;
  for (Index j = 0; j < 2 * half; ++j) {
    for (Index i = 0; i < 2 * half; ++i)
      belief.covariance(i, j) *= unit(i) * unit(j) * covariance_.signal_variance;
  }
  return belief;
}

}  // namespace hunch
