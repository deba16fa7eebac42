#include "hunch/surrogate/panel.hpp"

#include <type_traits>

namespace hunch {

namespace {

// Rows of L handled together: as many sums as keep the arithmetic units busy and fit the registers.
template <int lanes>
constexpr int row_block = lanes == 1 ? 8 : 4;

template <int lanes, int rows>
void solve_rows(const LowerFactor& factor, Index i, double* panel, Index panel_stride) {
  Lane sum[rows][lanes];
  const double* row[rows];
  for (int r = 0; r < rows; ++r) {
    row[r] = factor.row(i + r);
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
void solve_panel(const LowerFactor& factor, double* panel, Index panel_stride) {
  Index i = 0;
  for (; i + row_block<lanes> <= factor.size; i += row_block<lanes>) {
    solve_rows<lanes, row_block<lanes>>(factor, i, panel, panel_stride);
  }
  for (; i < factor.size; ++i) solve_rows<lanes, 1>(factor, i, panel, panel_stride);
}

// Rows 4p .. 4p+3 of the Gram matrix, `lanes` lanes of its columns from `columns` on.
template <int lanes>
void gram_block(const RowMatrix& panel, Index p, Index columns, Matrix& gram) {
  Lane sum[lane_width][lanes] = {};
  for (Index i = 0; i < panel.rows(); ++i) {
    const double* row = panel.data() + i * panel.outerStride();
    for (int r = 0; r < lane_width; ++r) {
      for (int l = 0; l < lanes; ++l) sum[r][l] += row[p + r] * lanes_at(row + columns)[l];
    }
  }
  for (int r = 0; r < lane_width; ++r) {
    for (int l = 0; l < lanes; ++l) {
      for (int k = 0; k < lane_width; ++k) gram(columns + lane_width * l + k, p + r) = sum[r][l][k];
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
    const int lanes = lanes_next((width - column) / lane_width);
    if (lanes == 3) body(column, std::integral_constant<int, 3>{});
    if (lanes == 2) body(column, std::integral_constant<int, 2>{});
    if (lanes == 1) body(column, std::integral_constant<int, 1>{});
    column += lanes * lane_width;
  }
}

}  // namespace

void solve_lower_panel(const LowerFactor& factor, RowMatrix& panel) {
  over_lanes(panel.cols(), [&](Index column, auto lanes) {
    solve_panel<lanes()>(factor, panel.data() + column, panel.outerStride());
  });
}

Matrix panel_gram(const RowMatrix& panel) {
  Matrix gram(panel.cols(), panel.cols());
  for (Index p = 0; p < panel.cols(); p += lane_width) {
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
