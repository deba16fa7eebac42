// GrowingCholesky: the lower Cholesky factor L of a covariance matrix that gains rows.
#pragma once

#include <vector>

#include "hunch/core/triangular_solve.hpp"

namespace hunch {

class GrowingCholesky {
 public:
  Index size() const { return size_; }

  // Makes room for this many rows in all, so that growing up to there copies nothing.
  void reserve(Index rows);

  // Offers candidates, in order, in groups of `group` rows that belong together. The first `size` rows of
  // `cross` (b columns) are their covariance with the rows already here, `among` (b x b) with each other. A
  // group is admitted iff the variance of its first row given everything admitted before exceeds `floor`
  // times what it was, and those of its other rows are positive; the rest leave no trace. Returns the
  // admitted groups' first rows in `among`. Cost: size^2 * b.
  std::vector<Index> offer(Matrix cross, const Matrix& among, Index group, double floor);

  // In place: the first `size` rows of rhs become L^-1 rhs, or L^-T rhs. Each column of a narrow rhs (up to
  // 64) gets the same bits whatever stands beside it.
  void solve_lower(Eigen::Ref<Matrix> rhs) const;
  // The same where rows before `first` are solved for already, as when rows were added; the same bits.
  void continue_solve_lower(Eigen::Ref<Matrix> rhs, Index first) const {
    hunch::solve_lower(factor(), rhs, first);
  }
  void solve_upper(Eigen::Ref<Vector> rhs) const { hunch::solve_upper(factor(), rhs); }

 private:
  LowerFactor factor() const { return {rows_.data(), rows_.outerStride(), size_}; }
  bool append(Index first, Index group, Index before, const Matrix& cross, const Matrix& schur,
              const Matrix& among, double floor, std::vector<Index>& candidates);

  // The factor fills the lower triangle of the first size_ rows; the rest is room to grow. Rows are
  // contiguous: appending writes one stretch of memory and a triangular solve streams through the factor
  // once.
  RowMatrix rows_;
  Index size_ = 0;
};

}  // namespace hunch
