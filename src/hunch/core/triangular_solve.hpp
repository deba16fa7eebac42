// TriangularSolve: solves with a lower triangle whose rows are contiguous, a few columns at a time.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Row i starts at entries + i * stride; nothing right of the diagonal is read.
struct LowerFactor {
  const double* entries;
  Index stride;
  Index size;

  const double* row(Index i) const { return entries + i * stride; }
};

// In place: rhs becomes L^-1 rhs, where the rows before `first` already are. The factor is read once for all
// columns, and each column gets the same bits whatever stands beside it. For hundreds of columns Eigen's
// blocks are faster.
void solve_lower(const LowerFactor& factor, Eigen::Ref<Matrix> rhs, Index first = 0);

// In place: rhs becomes L^-T rhs.
void solve_upper(const LowerFactor& factor, Eigen::Ref<Vector> rhs);

}  // namespace hunch
