// PanelCholesky: the lower Cholesky factor of a matrix that grows by rows, and how to solve with a few
// columns fast.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A panel holds a few right-hand sides side by side, one row per observation; its width is a multiple of
// panel_lane so that a row is whole vector registers. Unused columns are zero.
inline constexpr Index panel_lane = 4;
inline Index panel_width(Index columns) {
  return (columns + panel_lane - 1) / panel_lane * panel_lane;
}

// Every column of a result depends on that column of the input alone, bit for bit: its place in the panel,
// and what stands beside it, do not matter. That keeps beliefs about (x, y) and (y, x) the same numbers.
class PanelCholesky {
 public:
  Index size() const { return size_; }

  // panel <- L^-1 panel, in place; size() rows.
  void solve_lower(RowMatrix& panel) const;

  // right <- L^-T right, in place; size() rows.
  void solve_lower_transposed(Matrix& right) const;

  // Appends k rows: `solved` = L^-1 (cross-covariances), whose first k columns count, and `corner`, the lower
  // Cholesky factor (k x k) of what is left of the new diagonal block.
  void append(const RowMatrix& solved, const Matrix& corner);

 private:
  // Row-major with spare rows and columns: an append writes its own rows, and copies only when it doubles.
  RowMatrix factor_;
  Index size_ = 0;
};

// panel' panel, width x width.
Matrix panel_gram(const RowMatrix& panel);

// panel' right, for a right-hand side with as many rows; width x right.cols().
Matrix panel_product(const RowMatrix& panel, const Matrix& right);

}  // namespace hunch
