// GrowingCholesky: the lower Cholesky factor L of a covariance matrix that gains rows.
#pragma once

#include <vector>

#include "hunch/surrogate/lower_factor.hpp"

namespace hunch {

class GrowingCholesky {
 public:
  Index size() const { return size_; }

  // Makes room for this many rows in all, so that growing up to there copies nothing.
  void reserve(Index rows);

  // Offers candidates, in order. `cross` (size x b) is their covariance with the rows already here, `among`
  // (b x b) with each other. A candidate is admitted iff its variance given everything admitted before it
  // exceeds `floor`; the rest leave no trace. Returns which were admitted. Cost: size^2 * b.
  std::vector<Index> offer(Matrix cross, const Matrix& among, double floor);

  // Appends k rows that belong together: `solved` = L^-1 (cross-covariances), whose first k columns count,
  // and `corner`, the lower Cholesky factor (k x k) of what is left of the new diagonal block.
  void append(const RowMatrix& solved, const Matrix& corner);

  // Row i of the factor, up to and including its diagonal.
  auto row(Index i) const { return rows_.row(i).head(i + 1); }

  // In place: rhs becomes L^-1 rhs, or L^-T rhs. Each column of a narrow rhs (up to four), and each column of
  // a panel (see panel.hpp), gets the same bits whatever stands beside it.
  void solve_lower(Eigen::Ref<Matrix> rhs) const;
  void solve_lower_panel(RowMatrix& panel) const;
  void solve_upper(Eigen::Ref<Matrix> rhs) const;

 private:
  LowerFactor factor() const { return {rows_.data(), rows_.outerStride(), size_}; }

  // The factor fills the lower triangle of the first size_ rows; the rest is room to grow. Rows are
  // contiguous: appending writes one stretch of memory and a triangular solve streams through the factor
  // once.
  RowMatrix rows_;
  Index size_ = 0;
};

}  // namespace hunch
