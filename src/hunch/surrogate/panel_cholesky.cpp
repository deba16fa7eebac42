#include "hunch/surrogate/panel_cholesky.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace hunch {

namespace {

// Four doubles that need no more than a double's alignment: one AVX register, or two SSE2 ones.
typedef double Lane __attribute__((vector_size(8 * panel_lane), aligned(8), may_alias));

Lane* lanes_at(double* p) {
  return reinterpret_cast<Lane*>(p);
}
const Lane* lanes_at(const double* p) {
  return reinterpret_cast<const Lane*>(p);
}

// Rows of L handled together: as many sums as keep the arithmetic units busy and fit the registers.
template <int lanes>
constexpr int row_block = lanes == 1 ? 8 : 4;

template <int lanes, int rows>
void solve_rows(const double* factor, Index stride, Index i, double* panel, Index panel_stride) {
  Lane sum[rows][lanes];
  const double* row[rows];
  for (int r = 0; r < rows; ++r) {
    row[r] = factor + (i + r) * stride;
    for (int l = 0; l < lanes; ++l) sum[r][l] = lanes_at(panel + (i + r) * panel_stride)[l];
  }
  for (Index j = 0; j < i; ++j) {
    const Lane* solved = lanes_at(panel + j * panel_stride);
    for (int r = 0; r < rows; ++r) {
      for (int l = 0; l < lanes; ++l) sum[r][l] -= row[r][j] * solved[l];
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int q = 0; q < r; ++q) {
      for (int l = 0; l < lanes; ++l) sum[r][l] -= row[r][i + q] * sum[q][l];
    }
    const double inverse_pivot = 1 / row[r][i + r];
    for (int l = 0; l < lanes; ++l) {
      sum[r][l] *= inverse_pivot;
      lanes_at(panel + (i + r) * panel_stride)[l] = sum[r][l];
    }
  }
}

template <int lanes>
void solve_panel(const RowMatrix& factor, Index size, double* panel, Index panel_stride) {
  const Index stride = factor.outerStride();
  Index i = 0;
  for (; i + row_block<lanes> <= size; i += row_block<lanes>) {
    solve_rows<lanes, row_block<lanes>>(factor.data(), stride, i, panel, panel_stride);
  }
  for (; i < size; ++i) solve_rows<lanes, 1>(factor.data(), stride, i, panel, panel_stride);
}

// Rows 4p .. 4p+3 of the Gram matrix, `lanes` lanes of its columns from `columns` on.
template <int lanes>
void gram_block(const RowMatrix& panel, Index p, Index columns, Matrix& gram) {
  Lane sum[panel_lane][lanes] = {};
  for (Index i = 0; i < panel.rows(); ++i) {
    const double* row = panel.data() + i * panel.outerStride();
    for (int r = 0; r < panel_lane; ++r) {
      for (int l = 0; l < lanes; ++l) sum[r][l] += row[p + r] * lanes_at(row + columns)[l];
    }
  }
  for (int r = 0; r < panel_lane; ++r) {
    for (int l = 0; l < lanes; ++l) {
      for (int k = 0; k < panel_lane; ++k) gram(columns + panel_lane * l + k, p + r) = sum[r][l][k];
    }
  }
}

// How many of the remaining lanes to take at once: three fill the registers, and one alone wastes them.
int lanes_next(Index remaining) {
  if (remaining == 4) return 2;
  return remaining >= 3 ? 3 : static_cast<int>(remaining);
}

// Calls body(first_column, integral_constant<lanes>) over the panel's width.
template <class Body>
void over_lanes(Index width, Body body) {
  for (Index column = 0; column < width;) {
    const int lanes = lanes_next((width - column) / panel_lane);
    if (lanes == 3) body(column, std::integral_constant<int, 3>{});
    if (lanes == 2) body(column, std::integral_constant<int, 2>{});
    if (lanes == 1) body(column, std::integral_constant<int, 1>{});
    column += lanes * panel_lane;
  }
}

}  // namespace

void PanelCholesky::solve_lower(RowMatrix& panel) const {
  over_lanes(panel.cols(), [&](Index column, auto lanes) {
    solve_panel<lanes()>(factor_, size_, panel.data() + column, panel.outerStride());
  });
}

void PanelCholesky::solve_lower_transposed(Matrix& right) const {
  factor_.topLeftCorner(size_, size_).transpose().triangularView<Eigen::Upper>().solveInPlace(right);
}

void PanelCholesky::append(const RowMatrix& solved, const Matrix& corner) {
  const Index added = corner.rows();
  if (size_ + added > factor_.rows()) {
    const Index capacity = std::max<Index>(32, 2 * (size_ + added));
    RowMatrix grown = RowMatrix::Zero(capacity, capacity);
    grown.topLeftCorner(size_, size_) = factor_.topLeftCorner(size_, size_);
    factor_ = std::move(grown);
  }
  factor_.block(size_, 0, added, size_) = solved.leftCols(added).transpose();
  factor_.block(size_, size_, added, added) = corner.triangularView<Eigen::Lower>();
  size_ += added;
}

Matrix panel_gram(const RowMatrix& panel) {
  Matrix gram(panel.cols(), panel.cols());
  for (Index p = 0; p < panel.cols(); p += panel_lane) {
    over_lanes(panel.cols(), [&](Index column, auto lanes) { gram_block<lanes()>(panel, p, column, gram); });
  }
  return gram;
}

Matrix panel_product(const RowMatrix& panel, const Matrix& right) {
  Matrix product = Matrix::Zero(panel.cols(), right.cols());
  for (Index c = 0; c < right.cols(); ++c) {
    for (Index i = 0; i < panel.rows(); ++i) {
      product.col(c).noalias() += right(i, c) * panel.row(i).transpose();
    }
  }
  return product;
}

}  // namespace hunch
