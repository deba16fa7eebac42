#include "hunch/surrogate/joint_process.hpp"

#include <cmath>
#include <utility>

#include "hunch/surrogate/joint_blocks.hpp"

namespace hunch {

namespace {

// Scaled numbers beyond this are not data: their squares, and sums of them, would overflow.
constexpr double largest_magnitude = 1e100;

bool is_usable(const Vector& v) {
  return (v.array().abs() <= largest_magnitude).all();
}

template <class Appended>
void append_column(Matrix& columns, const Appended& column) {
  columns.conservativeResize(column.size(), columns.cols() + 1);
  columns.rightCols(1) = column;
}

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

JointProcess::JointProcess(Covariance covariance, double prior_mean, Conditioning conditioning)
    : covariance_(std::move(covariance)), prior_mean_(prior_mean), conditioning_(conditioning) {
  validate(covariance_);
  if (!std::isfinite(prior_mean)) throw InputError("joint process: prior mean is not finite");
  const Index d = dimension();
  points_.resize(d, 0);
  gradients_.resize(d, 0);
  scaled_points_.resize(d, 0);
  halfway_.resize(0, 2);
  weights_.resize(0, 2);
  mean_weights_.resize(d + 1, 0);
}

JointProcess JointProcess::condition(Covariance covariance, const Matrix& points, const Vector& values,
                                     const Matrix& gradients, double prior_mean, Conditioning conditioning) {
  JointProcess process(std::move(covariance), prior_mean, conditioning);
  process.check_sizes(points, values, gradients);
  for (Index i = 0; i < values.size(); ++i) process.admit(points.col(i), values(i), gradients.col(i));
  process.solve_weights();
  return process;
}

void JointProcess::check_sizes(const Matrix& points, const Vector& values, const Matrix& gradients) const {
  const Index d = dimension();
  const Index n = values.size();
  if (points.rows() == d && points.cols() == n && gradients.rows() == d && gradients.cols() == n) return;
  throw InputError("joint process: points and gradients must be " + std::to_string(d) + " x " +
                   std::to_string(n) + ", one column per value");
}

Admission JointProcess::append(const Vector& point, double value, const Vector& gradient) {
  check_sizes(point, Vector::Constant(1, value), gradient);
  const Admission admission = admit(point, value, gradient);
  if (admission == Admission::admitted) solve_weights();
  return admission;
}

// One block row of the factor: W = L^-1 k, and the Cholesky factor of what is left, S = k_zz - W'W.
Admission JointProcess::admit(const Vector& point, double value, const Vector& gradient) {
  const Index block = dimension() + 1;
  const Vector z = point.cwiseQuotient(covariance_.lengthscales);
  Vector observed(block);
  observed << value, gradient.cwiseProduct(covariance_.lengthscales);
  if (!is_usable(z) || !is_usable(observed)) return Admission::refused;

  RowMatrix panel = RowMatrix::Zero(factor_.size(), panel_width(block));
  fill_cross_block(covariance_.family, scaled_points_, z, panel, 0);
  factor_.solve_lower(panel);
  Matrix left = prior_block(z, z);
  const Vector jitter = conditioning_.relative_jitter * left.diagonal();
  left -= panel_gram(panel).topLeftCorner(block, block);
  if (!(left(0, 0) > conditioning_.admission_floor)) return Admission::refused;
  left.diagonal() += jitter;
  const Eigen::LLT<Matrix> corner(left);
  if (corner.info() != Eigen::Success) return Admission::refused;

  if (size() == 0) reference_ = value;
  Matrix right(block, 2);
  right << observed, Vector::Unit(block, 0);
  right(0, 0) -= reference_;
  right -= panel_product(panel, halfway_).topRows(block);
  corner.matrixL().solveInPlace(right);
  factor_.append(panel, corner.matrixL());
  halfway_.conservativeResize(factor_.size(), 2);
  halfway_.bottomRows(block) = right;
  append_column(points_, point);
  append_column(gradients_, gradient);
  append_column(scaled_points_, z);
  values_.conservativeResize(values_.size() + 1);
  values_(values_.size() - 1) = value;
  return Admission::admitted;
}

void JointProcess::set_observations(const Vector& values, const Matrix& gradients) {
  check_sizes(points_, values, gradients);
  if (size() == 0) return;
  const Matrix scaled_gradients = covariance_.lengthscales.asDiagonal() * gradients;
  if (!is_usable(values) || !is_usable(scaled_gradients.reshaped())) {
    throw InputError("joint process: values or gradients are not finite");
  }
  values_ = values;
  gradients_ = gradients;
  reference_ = values(0);
  const Index block = dimension() + 1;
  RowMatrix panel = RowMatrix::Zero(factor_.size(), panel_width(2));
  for (Index i = 0; i < size(); ++i) {
    panel(i * block, 0) = values(i) - reference_;
    panel(i * block, 1) = 1;
    panel.block(i * block + 1, 0, dimension(), 1) = scaled_gradients.col(i);
  }
  factor_.solve_lower(panel);
  halfway_ = panel.leftCols(2);
  solve_weights();
}

void JointProcess::solve_weights() {
  weights_ = halfway_;
  factor_.solve_lower_transposed(weights_);
  recentre(prior_mean_);
}

void JointProcess::recentre(double prior_mean) {
  if (!std::isfinite(prior_mean)) throw InputError("joint process: prior mean is not finite");
  prior_mean_ = prior_mean;
  mean_weights_ =
      (weights_.col(0) + (reference_ - prior_mean) * weights_.col(1)).reshaped(dimension() + 1, size());
}

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
  factor_.solve_lower(panel);
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

  factor_.solve_lower(panel);
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
