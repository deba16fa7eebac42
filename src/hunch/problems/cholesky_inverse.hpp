// CholeskyInverse: from a Cholesky factor to the inverse of the matrix it came from, in place.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

// The lower triangle holds L with A = L L^T; afterwards it holds the lower triangle of A^-1. The strict upper
// triangle is neither read nor written. About twice the work of the factorisation.
void invert_from_cholesky(Eigen::Ref<Matrix> lower);

}  // namespace hunch
