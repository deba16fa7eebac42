// LowerFactor: where a lower triangular matrix with contiguous rows lies, for the solves that read it.
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

// Four doubles that need no more than a double's alignment: one AVX register, or two SSE2 ones.
inline constexpr Index lane_width = 4;
typedef double Lane __attribute__((vector_size(8 * lane_width), aligned(8), may_alias));

inline Lane* lanes_at(double* p) {
  return reinterpret_cast<Lane*>(p);
}
inline const Lane* lanes_at(const double* p) {
  return reinterpret_cast<const Lane*>(p);
}

}  // namespace hunch
