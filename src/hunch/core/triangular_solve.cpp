#include "hunch/core/triangular_solve.hpp"

#include <algorithm>

#include "hunch/core/lanes.hpp"

namespace hunch {

namespace {

// A solve walks over bands of this many rows, two lanes: a band is read from memory once for all columns.
constexpr Index band = 8;

// Some columns side by side.
template <int columns>
struct Columns {
  double* first;
  Index stride;

  double* operator[](int c) const { return first + c * stride; }
};

// x[target + r] -= row_r . x over `length` entries (a multiple of four), for `rows` rows of the factor and
// each column x. Every factor entry is loaded once; each row and column has its own sum, so that the order of
// additions, and with it every bit, is the same for any number of columns.
template <int rows, int columns>
void subtract_products(const double* factor, Index stride, Index length, Columns<columns> x, Index target) {
  Lane sums[rows][columns];
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) sums[r][c] = Lane{};
  }
  for (Index k = 0; k < length; k += lane_width) {
    Lane entries[columns];
    for (int c = 0; c < columns; ++c) entries[c] = *lanes_at(x[c] + k);
    for (int r = 0; r < rows; ++r) {
      const Lane row = *lanes_at(factor + r * stride + k);
      for (int c = 0; c < columns; ++c) sums[r][c] += row * entries[c];
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) x[c][target + r] -= sum_of(sums[r][c]);
  }
}

// The rows from `from` to `end`, less what the rows before `start` have to do with them.
template <int columns>
void subtract_earlier(const LowerFactor& factor, Index start, Index from, Index end, Columns<columns> x) {
  constexpr int group = columns == 1 ? 8 : 4;  // rows at a time: as many sums as registers hold
  Index i = from;
  for (; i + group <= end; i += group)
    subtract_products<group, columns>(factor.row(i), factor.stride, start, x, i);
  for (; i < end; ++i) subtract_products<1, columns>(factor.row(i), factor.stride, start, x, i);
}

// Solves with the triangle of rows start .. end, from row `from` on.
void solve_triangle(const LowerFactor& factor, Index start, Index from, Index end, Eigen::Ref<Matrix> rhs) {
  for (Index i = from; i < end; ++i) {
    const double* row = factor.row(i);
    const double inverse = 1 / row[i];
    const bool has_lane = i >= start + lane_width;
    for (Index c = 0; c < rhs.cols(); ++c) {
      double* x = rhs.data() + c * rhs.outerStride();
      double rest = x[i];
      if (has_lane) {
        Lane product = {};  // added to, so that it is rounded by itself
        product += *lanes_at(row + start) * *lanes_at(x + start);
        rest -= sum_of(product);
      }
      for (Index k = has_lane ? start + lane_width : start; k < i; ++k) rest -= row[k] * x[k];
      x[i] = rest * inverse;
    }
  }
}

// x -= row_r y_r over `length` entries (a multiple of four), where y is the `rows` entries of x at `source`.
template <int rows>
void subtract_combination(const double* factor, Index stride, Index length, double* x, Index source) {
  for (Index k = 0; k < length; k += lane_width) {
    Lane entries = *lanes_at(x + k);
    for (int r = 0; r < rows; ++r) entries -= *lanes_at(factor + r * stride + k) * x[source + r];
    *lanes_at(x + k) = entries;
  }
}

}  // namespace

void solve_lower(const LowerFactor& factor, Eigen::Ref<Matrix> rhs, Index first) {
  const Index n = rhs.cols();
  const auto column = [&](Index c) { return rhs.data() + c * rhs.outerStride(); };
  for (Index start = first / band * band; start < factor.size; start += band) {
    const Index from = std::max(first, start), end = std::min(start + band, factor.size);
    Index c = 0;
    for (; c + 3 <= n; c += 3) subtract_earlier<3>(factor, start, from, end, {column(c), rhs.outerStride()});
    if (n - c == 2) subtract_earlier<2>(factor, start, from, end, {column(c), rhs.outerStride()});
    if (n - c == 1) subtract_earlier<1>(factor, start, from, end, {column(c), rhs.outerStride()});
    solve_triangle(factor, start, from, end, rhs);
  }
}

void solve_upper(const LowerFactor& factor, Eigen::Ref<Vector> rhs) {
  double* x = rhs.data();
  for (Index end = factor.size; end > 0; end = (end - 1) / band * band) {
    const Index start = (end - 1) / band * band;
    for (Index i = end - 1; i >= start; --i) {
      double rest = x[i];
      for (Index k = i + 1; k < end; ++k) rest -= factor.row(k)[i] * x[k];
      x[i] = rest / factor.row(i)[i];
    }
    Index i = start;
    for (; i + band <= end; i += band) subtract_combination<band>(factor.row(i), factor.stride, start, x, i);
    for (; i < end; ++i) subtract_combination<1>(factor.row(i), factor.stride, start, x, i);
  }
}

}  // namespace hunch
