#include "hunch/surrogate/column_solve.hpp"

#include <algorithm>

namespace hunch {

namespace {

// A solve walks over bands of this many rows: a band is read from memory once for all columns.
constexpr Index band = 8;

template <int columns>
using Columns = double* const (&)[columns];

// target[r] -= row_r . x over `length` entries (a multiple of four), for `rows` rows of the factor and
// `columns` columns x. Every factor entry is loaded once; each row and column has its own sum, so that the
// order of additions, and with it every bit, is the same for one column as for two.
template <int rows, int columns>
void subtract_products(const double* factor, Index stride, Index length, Columns<columns> x, Index target) {
  Lane sums[rows][columns] = {};
  for (Index k = 0; k < length; k += lane_width) {
    Lane entries[columns];
    for (int c = 0; c < columns; ++c) entries[c] = *lanes_at(x[c] + k);
    for (int r = 0; r < rows; ++r) {
      const Lane row = *lanes_at(factor + r * stride + k);
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
void subtract_combination(const double* factor, Index stride, Index length, Columns<columns> x,
                          Index source) {
  double y[rows][columns];
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) y[r][c] = x[c][source + r];
  }
  for (Index k = 0; k < length; k += lane_width) {
    Lane entries[columns];
    for (int c = 0; c < columns; ++c) entries[c] = *lanes_at(x[c] + k);
    for (int r = 0; r < rows; ++r) {
      const Lane row = *lanes_at(factor + r * stride + k);
      for (int c = 0; c < columns; ++c) entries[c] -= row * y[r][c];
    }
    for (int c = 0; c < columns; ++c) *lanes_at(x[c] + k) = entries[c];
  }
}

template <int columns>
void solve_lower(const LowerFactor& factor, Columns<columns> x) {
  constexpr int group = band / columns;  // rows at a time: eight sums, whatever the number of columns
  for (Index start = 0; start < factor.size; start += band) {
    const Index end = std::min(start + band, factor.size);
    Index i = start;
    for (; i + group <= end; i += group) {
      subtract_products<group, columns>(factor.row(i), factor.stride, start, x, i);
    }
    for (; i < end; ++i) subtract_products<1, columns>(factor.row(i), factor.stride, start, x, i);
    for (i = start; i < end; ++i) {
      for (int c = 0; c < columns; ++c) {
        double rest = x[c][i];
        for (Index k = start; k < i; ++k) rest -= factor.row(i)[k] * x[c][k];
        x[c][i] = rest / factor.row(i)[i];
      }
    }
  }
}

template <int columns>
void solve_upper(const LowerFactor& factor, Columns<columns> x) {
  constexpr int group = band / columns;
  for (Index end = factor.size; end > 0; end = (end - 1) / band * band) {
    const Index start = (end - 1) / band * band;
    for (Index i = end - 1; i >= start; --i) {
      for (int c = 0; c < columns; ++c) {
        double rest = x[c][i];
        for (Index k = i + 1; k < end; ++k) rest -= factor.row(k)[i] * x[c][k];
        x[c][i] = rest / factor.row(i)[i];
      }
    }
    Index i = start;
    for (; i + group <= end; i += group) {
      subtract_combination<group, columns>(factor.row(i), factor.stride, start, x, i);
    }
    for (; i < end; ++i) subtract_combination<1, columns>(factor.row(i), factor.stride, start, x, i);
  }
}

// Calls body with two columns at a time, and with the last one alone if their number is odd.
template <class Body>
void by_twos(Eigen::Ref<Matrix> rhs, Body body) {
  for (Index c = 0; c + 2 <= rhs.cols(); c += 2) {
    double* const two[] = {rhs.col(c).data(), rhs.col(c + 1).data()};
    body(two);
  }
  if (rhs.cols() % 2 == 0) return;
  double* const one[] = {rhs.col(rhs.cols() - 1).data()};
  body(one);
}

}  // namespace

void solve_lower_columns(const LowerFactor& factor, Eigen::Ref<Matrix> rhs) {
  by_twos(rhs, [&](auto& x) { solve_lower<std::extent_v<std::remove_reference_t<decltype(x)>>>(factor, x); });
}

void solve_upper_columns(const LowerFactor& factor, Eigen::Ref<Matrix> rhs) {
  by_twos(rhs, [&](auto& x) { solve_upper<std::extent_v<std::remove_reference_t<decltype(x)>>>(factor, x); });
}

}  // namespace hunch
