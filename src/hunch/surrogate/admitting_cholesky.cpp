#include "hunch/surrogate/admitting_cholesky.hpp"

#include <algorithm>
#include <cmath>

namespace hunch {

namespace {
// A narrow solve walks over panels of this many rows: a panel is read from memory once for all columns.
constexpr Index panel = 8;
constexpr Index narrow = 4;

// Four doubles that need no more than a double's alignment.
typedef double Lane __attribute__((vector_size(32), aligned(8), may_alias));

// target[r] -= row_r . x over `length` entries (a multiple of four), for `rows` rows of the factor and
// `columns` columns x. Every factor entry is loaded once; each row and column has its own sum, so that the
// order of additions, and with it every bit, is the same for one column as for two.
template <int rows, int columns>
void subtract_products(const double* factor, Index stride, Index length, double* const (&x)[columns],
                       Index target) {
  Lane sums[rows][columns] = {};
  for (Index k = 0; k < length; k += 4) {
    Lane entries[columns];
    for (int c = 0; c < columns; ++c) entries[c] = *reinterpret_cast<const Lane*>(x[c] + k);
    for (int r = 0; r < rows; ++r) {
      const Lane row = *reinterpret_cast<const Lane*>(factor + r * stride + k);
      for (int c = 0; c < columns; ++c) sums[r][c] += row * entries[c];
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const Lane& sum = sums[r][c];
      x[c][target + r] -= (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
  }
}

// x -= factor' y over `length` entries (a multiple of four), where y is the `rows` entries of x at `source`.
template <int rows, int columns>
void subtract_combination(const double* factor, Index stride, Index length, double* const (&x)[columns],
                          Index source) {
  double y[rows][columns];
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) y[r][c] = x[c][source + r];
  }
  for (Index k = 0; k < length; k += 4) {
    Lane entries[columns];
    for (int c = 0; c < columns; ++c) entries[c] = *reinterpret_cast<const Lane*>(x[c] + k);
    for (int r = 0; r < rows; ++r) {
      const Lane row = *reinterpret_cast<const Lane*>(factor + r * stride + k);
      for (int c = 0; c < columns; ++c) entries[c] -= row * y[r][c];
    }
    for (int c = 0; c < columns; ++c) *reinterpret_cast<Lane*>(x[c] + k) = entries[c];
  }
}

}  // namespace

void AdmittingCholesky::reserve(Index rows) {
  if (rows <= rows_.rows()) return;
  // Growing by an eighth keeps copying far below the cost of the rows that fill it. The stride is an odd
  // number of cache lines, so that the rows of a panel do not compete for the same cache sets.
  const Index capacity = (rows + rows / 8 + 16) / 16 * 16 + 8;
  decltype(rows_) larger(capacity, capacity);
  larger.topLeftCorner(size_, size_) = rows_.topLeftCorner(size_, size_);
  rows_.swap(larger);
}

std::vector<Index> AdmittingCholesky::offer(Matrix cross, const Matrix& among, double floor) {
  const Index before = size_;
  const Index candidates = among.rows();
  reserve(before + candidates);
  solve_lower(cross);
  Matrix schur = among;
  schur.noalias() -= cross.transpose() * cross;
  std::vector<Index> admitted;
  for (Index j = 0; j < candidates; ++j) {
    const Index count = size_ - before;
    auto within = rows_.row(size_).segment(before, count);
    for (Index p = 0; p < count; ++p) {
      const auto other = rows_.row(before + p).segment(before, p);
      const double rest = schur(j, admitted[static_cast<std::size_t>(p)]) - within.head(p).dot(other);
      within(p) = rest / rows_(before + p, before + p);
    }
    const double variance = schur(j, j) - within.squaredNorm();
    if (!(variance > floor) || !std::isfinite(variance)) continue;
    rows_.row(size_).head(before) = cross.col(j).transpose();
    rows_(size_, size_) = std::sqrt(variance);
    admitted.push_back(j);
    ++size_;
  }
  return admitted;
}

void AdmittingCholesky::solve_lower(Eigen::Ref<Matrix> rhs) const {
  if (rhs.cols() > narrow) {
    rows_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().solveInPlace(rhs);
    return;
  }
  Index c = 0;
  for (; c + 2 <= rhs.cols(); c += 2) solve_lower_narrow<2>({rhs.col(c).data(), rhs.col(c + 1).data()});
  if (c < rhs.cols()) solve_lower_narrow<1>({rhs.col(c).data()});
}

template <int columns>
void AdmittingCholesky::solve_lower_narrow(double* const (&x)[columns]) const {
  const Index stride = rows_.outerStride();
  constexpr int group = panel / columns;  // rows at a time: eight sums, whatever the number of columns
  for (Index start = 0; start < size_; start += panel) {
    const Index end = std::min(start + panel, size_);
    const double* left = rows_.data() + start * stride;
    Index i = start;
    for (; i + group <= end; i += group) {
      subtract_products<group, columns>(left + (i - start) * stride, stride, start, x, i);
    }
    for (; i < end; ++i) subtract_products<1, columns>(left + (i - start) * stride, stride, start, x, i);
    for (i = start; i < end; ++i) {
      for (int c = 0; c < columns; ++c) {
        double rest = x[c][i];
        for (Index k = start; k < i; ++k) rest -= rows_(i, k) * x[c][k];
        x[c][i] = rest / rows_(i, i);
      }
    }
  }
}

void AdmittingCholesky::solve_upper(Eigen::Ref<Matrix> rhs) const {
  if (rhs.cols() > narrow) {
    rows_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().transpose().solveInPlace(rhs);
    return;
  }
  Index c = 0;
  for (; c + 2 <= rhs.cols(); c += 2) solve_upper_narrow<2>({rhs.col(c).data(), rhs.col(c + 1).data()});
  if (c < rhs.cols()) solve_upper_narrow<1>({rhs.col(c).data()});
}

template <int columns>
void AdmittingCholesky::solve_upper_narrow(double* const (&x)[columns]) const {
  const Index stride = rows_.outerStride();
  constexpr int group = panel / columns;
  for (Index end = size_; end > 0; end = (end - 1) / panel * panel) {
    const Index start = (end - 1) / panel * panel;
    for (Index i = end - 1; i >= start; --i) {
      for (int c = 0; c < columns; ++c) {
        double rest = x[c][i];
        for (Index k = i + 1; k < end; ++k) rest -= rows_(k, i) * x[c][k];
        x[c][i] = rest / rows_(i, i);
      }
    }
    const double* left = rows_.data() + start * stride;
    Index i = start;
    for (; i + group <= end; i += group) {
      subtract_combination<group, columns>(left + (i - start) * stride, stride, start, x, i);
    }
    for (; i < end; ++i) subtract_combination<1, columns>(left + (i - start) * stride, stride, start, x, i);
  }
}

}  // namespace hunch
