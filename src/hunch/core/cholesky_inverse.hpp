// CholeskyInverse: the inverse of a symmetric matrix from its Cholesky factor, at a third of the cost of
// solving for it.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

// The lower triangle of L becomes that of (L L')^-1; what is above the diagonal is neither read nor written.
// n^3 / 3 multiplications, where solving for the identity takes n^3.
void invert_from_factor(Eigen::Ref<Matrix> lower);

}  // namespace hunch
