// Ranks: the rearrangements of a draws x chains matrix that rank-based diagnostics look at.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

// Each chain becomes two, its halves; an odd number of draws loses the middle one; a single draw stays.
Matrix split_chains(const Matrix& x);

// Each value's rank r among all S values, ties sharing their average, as the normal score
// Phi^-1((r - 3/8) / (S + 1/4)). All NaN when any value is NaN; infinities have a rank like any other value.
Matrix normal_scores(const Matrix& x);

// |x - median of all values|: large where either tail is. All NaN when any value is NaN.
Matrix folded(const Matrix& x);

}  // namespace hunch
