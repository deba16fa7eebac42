// Panel: a few right-hand sides side by side, one row per observation, and what is computed with them.
#pragma once

#include "hunch/surrogate/lower_factor.hpp"

namespace hunch {

// A panel's width is a multiple of lane_width, so that a row is whole vector registers. Unused columns are
// zero.
inline Index panel_width(Index columns) {
  return (columns + lane_width - 1) / lane_width * lane_width;
}

// Every column of a result depends on that column of the input alone, bit for bit: its place in the panel,
// and what stands beside it, do not matter. That keeps beliefs about (x, y) and (y, x) the same numbers.

// panel <- L^-1 panel, in place; as many rows as the factor. Lanes run across the panel's columns: faster
// than solve_lower_columns from four columns on, and slower for two, which would leave half a lane unused.
void solve_lower_panel(const LowerFactor& factor, RowMatrix& panel);

// panel' panel, width x width.
Matrix panel_gram(const RowMatrix& panel);

// panel' right, for a right-hand side with as many rows; width x right.cols().
Matrix panel_product(const RowMatrix& panel, const Matrix& right);

}  // namespace hunch
