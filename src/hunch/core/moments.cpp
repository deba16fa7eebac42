#include "hunch/core/moments.hpp"

namespace hunch {

Moments moments(const Matrix& columns, const Vector& weights) {
  const Vector mean = columns * weights;
  const Matrix centred = columns.colwise() - mean;
  Matrix covariance = centred * weights.asDiagonal() * centred.transpose();
  const Vector variances = covariance.diagonal();
  const double typical = variances.mean();
  covariance.diagonal() += 1e-6 * variances + Vector::Constant(mean.size(), 1e-12 * typical + 1e-300);
  return {mean, covariance};
}

Moments moments(const Matrix& columns) {
  const Index n = columns.cols();
  return moments(columns, Vector::Constant(n, 1.0 / static_cast<double>(n)));
}

}  // namespace hunch
