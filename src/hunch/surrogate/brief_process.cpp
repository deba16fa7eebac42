#include "hunch/surrogate/brief_process.hpp"

#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

// Columns factored together, after one product with all columns before them.
constexpr Index column_block = 16;

Index whole_registers(Index n) {
  return (n + 7) / 8 * 8;
}

}  // namespace

BriefProcess::BriefProcess(const Covariance& covariance, const Matrix& points, const Vector& values,
                           double prior_mean, const Conditioning& conditioning)
    : covariance_(covariance), prior_mean_(prior_mean), size_(values.size()) {
  const Index rows = whole_registers(size_);
  scaled_rows_ = Matrix::Zero(rows, points.rows());
  for (Index j = 0; j < points.rows(); ++j)
    scaled_rows_.col(j).head(size_) = points.row(j).transpose() / covariance.lengthscales(j);
  factor_.resize(rows, rows);
  fill_covariances(conditioning.relative_jitter);
  factorise(conditioning.admission_floor * covariance.signal_variance);
  reference_ = size_ > 0 ? values.mean() : 0.0;
  halfway_ = Matrix::Zero(rows, 2);
  halfway_.col(0).head(size_) = values.array() - reference_;
  halfway_.col(1).head(size_).setOnes();
  for (Index c = 0; c < 2; ++c) factor_.triangularView<Eigen::Lower>().solveInPlace(halfway_.col(c));
}

// The lower triangle; each column starts at a whole register above its diagonal.
void BriefProcess::fill_covariances(double relative_jitter) {
  const Index rows = factor_.rows();
  for (Index j = 0; j < size_; ++j) {
    const Index first = j / 8 * 8;
    squared_distances(scaled_rows_.bottomRows(rows - first), scaled_rows_.row(j).transpose(),
                      factor_.col(j).tail(rows - first));
    to_correlation(covariance_.family, factor_.col(j).tail(rows - first).array());
    factor_.col(j).tail(rows - first) *= covariance_.signal_variance;
    factor_.col(j).tail(rows - size_).setZero();
    factor_(j, j) = (1 + relative_jitter) * covariance_.signal_variance;
  }
  factor_.rightCols(rows - size_).setZero();
  factor_.diagonal().tail(rows - size_).setOnes();
}

// L L' = K by blocks of columns. A point whose variance given those before it is not above the floor gets an
// infinite pivot: whatever is divided by it vanishes, as if the point were not there.
void BriefProcess::factorise(double floor) {
  for (Index start = 0; start < size_; start += column_block) {
    const Index width = std::min(column_block, size_ - start);
    const Index below = factor_.rows() - start;
    if (start > 0) {
      factor_.block(start, start, below, width).noalias() -=
          factor_.block(start, 0, below, start) * factor_.block(start, 0, width, start).transpose();
    }
    for (Index c = start; c < start + width; ++c) {
      const auto earlier = factor_.block(c, start, 1, c - start);
      const double variance = factor_(c, c) - earlier.squaredNorm();
      factor_(c, c) = variance > floor ? std::sqrt(variance) : infinity;
      const Index left = factor_.rows() - c - 1;
      auto column = factor_.col(c).tail(left);
      column.noalias() -= factor_.block(c + 1, start, left, c - start) * earlier.transpose();
      column *= 1 / factor_(c, c);
    }
  }
}

BriefProcess::View BriefProcess::view(const Vector& scaled_z) const {
  View seen{Vector::Zero(scaled_rows_.rows()), 0, 1, covariance_.signal_variance};
  if (!scaled_z.allFinite()) return seen;
  squared_distances(scaled_rows_, scaled_z, seen.solved);
  to_correlation(covariance_.family, seen.solved.array());
  seen.solved *= covariance_.signal_variance;
  seen.solved.tail(seen.solved.size() - size_).setZero();
  factor_.triangularView<Eigen::Lower>().solveInPlace(seen.solved);
  const double along = seen.solved.dot(halfway_.col(1));
  const double offset = seen.solved.dot(halfway_.col(0)) + reference_ * along;
  if (std::isfinite(offset) && std::isfinite(along)) {
    seen.offset = offset;
    seen.slope = 1 - along;
  }
  const double variance = covariance_.signal_variance - seen.solved.squaredNorm();
  if (!std::isnan(variance)) seen.variance = std::max(variance, 0.0);
  return seen;
}

GaussianProcess::Prediction BriefProcess::predict(const Vector& z) const {
  const View seen = view(z.cwiseQuotient(covariance_.lengthscales));
  return {seen.offset + prior_mean_ * seen.slope, seen.variance};
}

PairBelief BriefProcess::pair(const Vector& x, const Vector& y) const {
  const Vector scaled_x = x.cwiseQuotient(covariance_.lengthscales);
  const Vector scaled_y = y.cwiseQuotient(covariance_.lengthscales);
  const View at_x = view(scaled_x);
  const View at_y = view(scaled_y);
  const double apart = (scaled_x - scaled_y).squaredNorm();
  const double prior = covariance_.signal_variance * radial(covariance_.family, apart).phi;
  const double cross = (std::isfinite(prior) ? prior : 0.0) - at_x.solved.dot(at_y.solved);
  const double limit = std::sqrt(at_x.variance) * std::sqrt(at_y.variance);
  PairBelief belief{Vector(2), Vector(2), Matrix(2, 2), prior_mean_};
  belief.offset << at_x.offset, at_y.offset;
  belief.slope << at_x.slope, at_y.slope;
  belief.covariance.diagonal() << at_x.variance, at_y.variance;
  belief.covariance(0, 1) = belief.covariance(1, 0) =
      std::isfinite(cross) ? std::clamp(cross, -limit, limit) : 0.0;
  return belief;
}

}  // namespace hunch
