// ColumnSolve: how to solve with a triangle for one or two columns as fast as the triangle can be read.
#pragma once

#include "hunch/surrogate/lower_factor.hpp"

namespace hunch {

// In place: rhs becomes L^-1 rhs, or L^-T rhs. Sums run along the rows of L, so that a single column fills
// the registers; from about four columns on, panels (see panel.hpp) or blocks are faster. Each column gets
// the same bits whatever stands beside it.
void solve_lower_columns(const LowerFactor& factor, Eigen::Ref<Matrix> rhs);
void solve_upper_columns(const LowerFactor& factor, Eigen::Ref<Matrix> rhs);

}  // namespace hunch
