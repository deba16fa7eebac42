#include "hunch/problems/cholesky_inverse.hpp"

namespace hunch {
namespace {

using Block = Eigen::Ref<Matrix>;
constexpr Index smallest = 24;  // below this size recursion costs more than it saves

Index split(Index n) {
  return (n / 2 + 7) / 8 * 8;
}

// L -> L^-1, by halves: the corner becomes -L22^-1 L21 L11^-1.
void invert_triangle(Block lower) {
  const Index n = lower.rows();
  if (n <= smallest) {
    for (Index j = n - 1; j >= 0; --j) {
      const double pivot = 1 / lower(j, j);
      const Index below = n - j - 1;
      lower(j, j) = pivot;
      lower.col(j).tail(below) =
          -pivot *
          (lower.bottomRightCorner(below, below).triangularView<Eigen::Lower>() * lower.col(j).tail(below))
              .eval();
    }
    return;
  }
  const Index m = split(n);
  auto corner = lower.bottomLeftCorner(n - m, m);
  const auto first = lower.topLeftCorner(m, m);
  const auto second = lower.bottomRightCorner(n - m, n - m);
  second.triangularView<Eigen::Lower>().solveInPlace(corner);
  first.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(corner);
  corner = -corner;
  invert_triangle(first);
  invert_triangle(second);
}

// M -> lower triangle of M^T M for lower triangular M, by halves.
void square_triangle(Block lower) {
  const Index n = lower.rows();
  if (n <= smallest) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) {
        lower(i, j) = lower.col(i).tail(n - i).dot(lower.col(j).tail(n - i));
      }
    }
    return;
  }
  const Index m = split(n);
  auto corner = lower.bottomLeftCorner(n - m, m);
  auto first = lower.topLeftCorner(m, m);
  auto second = lower.bottomRightCorner(n - m, n - m);
  square_triangle(first);
  first.selfadjointView<Eigen::Lower>().rankUpdate(corner.transpose());
  corner = (second.transpose().triangularView<Eigen::Upper>() * corner).eval();
  square_triangle(second);
}

}  // namespace

void invert_from_cholesky(Eigen::Ref<Matrix> lower) {
  invert_triangle(lower);
  square_triangle(lower);
}

}  // namespace hunch
