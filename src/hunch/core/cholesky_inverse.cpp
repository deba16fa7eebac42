#include "hunch/core/cholesky_inverse.hpp"

namespace hunch {

namespace {

// Halves are halved until they are this small.
constexpr Index leaf = 32;

// lower <- lower^-1, a triangle, in n^3 / 6 multiplications.
void invert_lower(Eigen::Ref<Matrix> lower) {
  const Index n = lower.rows();
  if (n <= leaf) {
    Matrix inverse = Matrix::Identity(n, n);
    lower.triangularView<Eigen::Lower>().solveInPlace(inverse);
    lower.triangularView<Eigen::Lower>() = inverse;
    return;
  }
  const Index h = n / 2;
  invert_lower(lower.topLeftCorner(h, h));
  invert_lower(lower.bottomRightCorner(n - h, n - h));
  Matrix middle(n - h, h);
  middle.noalias() =
      lower.bottomRightCorner(n - h, n - h).triangularView<Eigen::Lower>() * lower.bottomLeftCorner(n - h, h);
  lower.bottomLeftCorner(n - h, h).noalias() =
      -middle * lower.topLeftCorner(h, h).triangularView<Eigen::Lower>();
}

// lower <- the lower triangle of lower' lower, in n^3 / 6 multiplications.
void square_lower(Eigen::Ref<Matrix> lower) {
  const Index n = lower.rows();
  if (n <= leaf) {
    const Matrix triangle = lower.triangularView<Eigen::Lower>();
    lower.triangularView<Eigen::Lower>() = triangle.transpose() * triangle;
    return;
  }
  const Index h = n / 2;
  square_lower(lower.topLeftCorner(h, h));
  lower.topLeftCorner(h, h).selfadjointView<Eigen::Lower>().rankUpdate(
      lower.bottomLeftCorner(n - h, h).transpose());
  Matrix middle(n - h, h);
  middle.noalias() = lower.bottomRightCorner(n - h, n - h).triangularView<Eigen::Lower>().transpose() *
                     lower.bottomLeftCorner(n - h, h);
  lower.bottomLeftCorner(n - h, h) = middle;
  square_lower(lower.bottomRightCorner(n - h, n - h));
}

}  // namespace

void invert_from_factor(Eigen::Ref<Matrix> lower) {
  invert_lower(lower);
  square_lower(lower);
}

}  // namespace hunch
