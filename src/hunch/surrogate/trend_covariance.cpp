#include "hunch/surrogate/trend_covariance.hpp"

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

Matrix squared_distances_between(const TrendCovariance& c, const Matrix& a, const Matrix& b) {
  const Vector inverse = c.lengthscales.cwiseInverse();
  return squared_distances_between(Matrix(inverse.asDiagonal() * a), Matrix(inverse.asDiagonal() * b));
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

// What decays, seen as a function of s: its derivatives, as `convert` makes them for one family.
template <class Convert>
Eigen::ArrayXXd decaying(const TrendCovariance& c, const Matrix& s, const Convert& convert) {
  Eigen::ArrayXXd sum = s.array();
  convert(CovarianceFamily::squared_exponential, sum);
  sum *= c.signal;
  if (c.rough > 0) {
    Eigen::ArrayXXd part = s.array();
    convert(CovarianceFamily::matern52, part);
    sum += c.rough * part;
  }
  return sum;
}

// (a_ij - b_kj) / l_j^2 for all points i and k.
Eigen::ArrayXXd pulls(const TrendCovariance& c, const Matrix& a, const Matrix& b, Index j) {
  const double l = c.lengthscales[j];
  return (a.row(j).transpose().replicate(1, b.cols()) - b.row(j).replicate(a.cols(), 1)).array() / (l * l);
}

// Both sides are gradients: d2k / da_j db_k, as blocks (j, k) of points by points.
Matrix covariance_of_gradients(const TrendCovariance& c, const Matrix& a) {
  const Index d = a.rows();
  const Index n = a.cols();
  const Matrix s = squared_distances_between(c, a, a);
  const Eigen::ArrayXXd slope = decaying(c, s, to_correlation_slope);
  const Eigen::ArrayXXd bend = decaying(c, s, to_correlation_bend);
  const Eigen::ArrayXXd steepness = c.quadratic * (4.0 + 2.0 * (a.transpose() * a).array());
  Matrix result(n * d, n * d);
  for (Index j = 0; j < d; ++j) {
    const Eigen::ArrayXXd bent = -4 * bend * pulls(c, a, a, j);
    for (Index k = 0; k <= j; ++k) {
      Eigen::ArrayXXd block = bent * pulls(c, a, a, k);
      block += (c.bowl * a.row(j).transpose() * a.row(k)).array();
      block += (2 * c.quadratic * a.row(k).transpose() * a.row(j)).array();
      if (j == k) block += steepness - 2 / (c.lengthscales[j] * c.lengthscales[j]) * slope;
      result.block(j * n, k * n, n, n) = block.matrix();
      result.block(k * n, j * n, n, n) = block.matrix().transpose();
    }
  }
  return result;
}

}  // namespace

Matrix covariance_of_values(const TrendCovariance& c, const Matrix& a, const Matrix& b) {
  const Matrix s = squared_distances_between(c, a, b);
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

Matrix covariance_of_gradients_and_values(const TrendCovariance& c, const Matrix& a, const Matrix& b) {
  const Index d = a.rows();
  const Index n = a.cols();
  const Eigen::ArrayXXd slope = decaying(c, squared_distances_between(c, a, b), to_correlation_slope);
  const Eigen::ArrayXXd steepness = c.quadratic * (4.0 + 2.0 * (a.transpose() * b).array());
  const Vector qb = 0.5 * b.colwise().squaredNorm().transpose();
  Matrix result(n * d, b.cols());
  for (Index j = 0; j < d; ++j) {
    Eigen::ArrayXXd block = 2 * slope * pulls(c, a, b, j);
    block += steepness.rowwise() * b.row(j).array();
    block += (c.bowl * a.row(j).transpose() * qb.transpose()).array();
    result.middleRows(j * n, n) = block.matrix();
  }
  return result;
}

Matrix trend_covariance_matrix(const TrendCovariance& c, const Matrix& points, Index sloped) {
  Matrix values = covariance_of_values(c, points, points);
  if (sloped == 0) return values;
  const Matrix first = points.leftCols(sloped);
  const Matrix cross = covariance_of_gradients_and_values(c, first, points);
  Matrix all(values.rows() + cross.rows(), values.rows() + cross.rows());
  all << values, cross.transpose(), cross, covariance_of_gradients(c, first);
  return all;
}

}  // namespace hunch
