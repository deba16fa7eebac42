// How a JointProcess comes to know its points; what it makes of them is in joint_process.cpp.
#include <cmath>
#include <utility>

#include "hunch/surrogate/joint_blocks.hpp"
#include "hunch/surrogate/joint_process.hpp"
#include "hunch/surrogate/panel.hpp"

namespace hunch {

namespace {

template <class Appended>
void append_column(Matrix& columns, const Appended& column) {
  columns.conservativeResize(column.size(), columns.cols() + 1);
  columns.rightCols(1) = column;
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
  process.factor_.reserve(values.size() * (process.dimension() + 1));
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
  factor_.solve_lower_panel(panel);
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
  factor_.solve_lower_panel(panel);
  halfway_ = panel.leftCols(2);
  solve_weights();
}

void JointProcess::solve_weights() {
  weights_ = halfway_;
  factor_.solve_upper(weights_);
  recentre(prior_mean_);
}

void JointProcess::recentre(double prior_mean) {
  if (!std::isfinite(prior_mean)) throw InputError("joint process: prior mean is not finite");
  prior_mean_ = prior_mean;
  mean_weights_ =
      (weights_.col(0) + (reference_ - prior_mean) * weights_.col(1)).reshaped(dimension() + 1, size());
}

}  // namespace hunch
