// Autocovariance: how chains remember themselves, at every lag at once.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

// The biased autocovariance (divisor n at every lag) at lags 0 .. n-1, each column about its own mean,
// averaged over the columns of a draws x chains matrix of finite values. By Fourier transform: O(n log n) per
// chain.
Vector mean_autocovariance(const Matrix& x);

}  // namespace hunch
