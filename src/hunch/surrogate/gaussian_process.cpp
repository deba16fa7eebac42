#include "hunch/surrogate/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

// Candidates and positions are handled in blocks of this many: a block reads the whole factor once, at
// matrix-matrix speed, while its covariances stay in cache.
constexpr Index candidate_block = 64;
constexpr Index position_block = 256;
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

GaussianProcess GaussianProcess::condition(Covariance covariance, const Matrix& points, const Vector& values,
                                           double prior_mean, Conditioning conditioning) {
  GaussianProcess process(std::move(covariance), prior_mean, conditioning);
  if (points.cols() > 0) check_shape("points", points.rows(), process.dimension());
  check_shape("values", values.size(), points.cols());
  for (Index start = 0; start < points.cols(); start += candidate_block) {
    const Index width = std::min(candidate_block, points.cols() - start);
    process.admit(points.middleCols(start, width), values.segment(start, width));
  }
  process.solve_weights();
  return process;
}

Admission GaussianProcess::append(const Vector& point, double value) {
  check_shape("point", point.size(), dimension());
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

GaussianProcess::Prediction GaussianProcess::predict(const Vector& z) const {
  check_shape("z", z.size(), dimension());
  Matrix k = covariance_with_points(scaled(z));
  const double mean = affine_mean(k.col(0)).dot(Eigen::Vector2d(1, prior_mean_));
  factor_.solve_lower(k.topRows(size()));
  return {mean, remaining_variance(k.col(0))};
}

GaussianProcess::Predictions GaussianProcess::predict(const Matrix& zs) const {
  check_shape("zs", zs.rows(), dimension());
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
  check_shape("z", z.size(), dimension());
  const Matrix k = covariance_with_points(scaled(z));
  return affine_mean(k.col(0)).dot(Eigen::Vector2d(1, prior_mean_));
}

Vector GaussianProcess::mean_gradient(const Vector& z) const {
  check_shape("z", z.size(), dimension());
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
  check_shape("x", x.size(), dimension());
  check_shape("y", y.size(), dimension());
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
