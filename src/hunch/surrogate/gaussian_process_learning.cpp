// How a GaussianProcess comes to know its points; what it makes of them is in gaussian_process.cpp.
#include <algorithm>
#include <cmath>
#include <utility>

#include "hunch/surrogate/gaussian_process.hpp"

namespace hunch {

namespace {

// Candidates are offered to the factor in blocks of this many, at matrix-matrix speed.
constexpr Index candidate_block = 64;
constexpr double residual_limit = 1e-6;

Index whole_registers(Index n) {
  return (n + 7) / 8 * 8;
}

void check_shape(const char* what, Index got, Index expected) {
  if (got == expected) return;
  throw InputError(std::string(what) + ": got " + std::to_string(got) + " entries, expected " +
                   std::to_string(expected));
}

}  // namespace

GaussianProcess::GaussianProcess(Covariance covariance, double prior_mean, Conditioning conditioning)
    : covariance_(std::move(covariance)), prior_mean_(prior_mean), conditioning_(conditioning) {
  validate(covariance_);
  if (!std::isfinite(prior_mean_)) throw InputError("prior_mean: expected a finite number");
  points_.resize(dimension(), 0);
  scaled_rows_.resize(0, dimension());
  halfway_.resize(0, 2);
  weights_.resize(0, 2);
}

void GaussianProcess::check_dimension(const char* what, Index got) const {
  check_shape(what, got, dimension());
}

GaussianProcess GaussianProcess::condition(Covariance covariance, const Matrix& points, const Vector& values,
                                           double prior_mean, Conditioning conditioning) {
  GaussianProcess process(std::move(covariance), prior_mean, conditioning);
  if (points.cols() > 0) process.check_dimension("points", points.rows());
  check_shape("values", values.size(), points.cols());
  for (Index start = 0; start < points.cols(); start += candidate_block) {
    const Index width = std::min(candidate_block, points.cols() - start);
    process.admit(points.middleCols(start, width), values.segment(start, width));
  }
  process.solve_weights();
  return process;
}

Admission GaussianProcess::append(const Vector& point, double value) {
  check_dimension("point", point.size());
  if (admit(point, Vector::Constant(1, value)) == 0) return Admission::refused;
  const Index last = size() - 1;
  if (last == 0) {
    solve_weights();
    return Admission::admitted;
  }
  const auto row = factor_.row(last);
  const Eigen::RowVector2d rhs(value - reference_, 1.0);
  halfway_.conservativeResize(last + 1, 2);
  halfway_.row(last) = (rhs - row.head(last) * halfway_.topRows(last)) / row(last);
  weights_ = halfway_;
  factor_.solve_upper(weights_);
  residual_ = std::max(residual_, misfit(last));
  // Adversarial data can hold the residual above its limit whatever is done: then once per growth by a tenth.
  if (!(residual_ <= residual_limit) && 10 * size() > 11 * size_when_factored_) refactor();
  return Admission::admitted;
}

void GaussianProcess::set_values(const Vector& values) {
  check_shape("values", values.size(), size());
  if (!values.allFinite()) throw InputError("values: expected finite numbers");
  values_ = values;
  solve_weights();
}

Index GaussianProcess::admit(const Matrix& points, const Vector& values) {
  const Matrix columns = scaled(points);
  std::vector<Index> finite;
  for (Index j = 0; j < points.cols(); ++j) {
    if (columns.col(j).allFinite() && std::isfinite(values(j))) finite.push_back(j);
  }
  const Index first = std::exchange(offered_, offered_ + points.cols());
  const Matrix candidates = columns(Eigen::all, finite);
  Matrix among(candidates.cols(), candidates.cols());
  const Matrix rows = candidates.transpose();
  for (Index j = 0; j < among.cols(); ++j) squared_distances(rows, candidates.col(j), among.col(j));
  to_correlation(covariance_.family, among.array());
  among.diagonal().array() += conditioning_.relative_jitter;
  among *= covariance_.signal_variance;
  const auto kept = factor_.offer(covariance_with_points(candidates).topRows(size()), among,
                                  conditioning_.admission_floor * covariance_.signal_variance);
  const Index before = size();
  const Index after = factor_.size();
  points_.conservativeResize(Eigen::NoChange, after);
  values_.conservativeResize(after);
  scaled_rows_.conservativeResize(whole_registers(after), Eigen::NoChange);
  for (Index i = before; i < after; ++i) {
    const Index j = finite[static_cast<std::size_t>(kept[static_cast<std::size_t>(i - before)])];
    points_.col(i) = points.col(j);
    values_(i) = values(j);
    scaled_rows_.row(i) = columns.col(j).transpose();
    admitted_.push_back(first + j);
  }
  scaled_rows_.bottomRows(scaled_rows_.rows() - after).setZero();
  return after - before;
}

void GaussianProcess::solve_weights() {
  reference_ = size() > 0 ? values_.mean() : 0.0;
  halfway_.resize(size(), 2);
  halfway_.col(0) = values_.array() - reference_;
  halfway_.col(1).setOnes();
  factor_.solve_lower(halfway_);
  weights_ = halfway_;
  factor_.solve_upper(weights_);
  residual_ = 0;
  for (Index i = 0; i < size(); ++i) residual_ = std::max(residual_, misfit(i));
  size_when_factored_ = size();
}

void GaussianProcess::refactor() {
  GaussianProcess fresh = condition(covariance_, points_, values_, prior_mean_, conditioning_);
  for (Index& index : fresh.admitted_) index = admitted_[static_cast<std::size_t>(index)];
  fresh.offered_ = offered_;
  *this = std::move(fresh);
}

double GaussianProcess::misfit(Index i) const {
  const Vector z = scaled_rows_.row(i).transpose();
  const Matrix k = covariance_with_points(z);
  const double jitter = conditioning_.relative_jitter * covariance_.signal_variance;
  const double left = k.col(0).head(size()).dot(weights_.col(0)) + jitter * weights_(i, 0);
  const double spread = (values_.array() - reference_).abs().maxCoeff();
  return std::abs(left - (values_(i) - reference_)) / std::max(spread, 1e-300);
}

}  // namespace hunch
