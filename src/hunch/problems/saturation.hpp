// Saturation: the curve y = a x / (x + b) with normal errors at seven fixed x, the paper's T2.
#pragma once

#include "hunch/core/rng.hpp"
#include "hunch/core/types.hpp"

namespace hunch {

struct SaturationData {
  Vector x;
  Vector y;
};

// theta = (a, b, log sigma) that makes the data: (0.14, 50, log 0.1).
Vector saturation_truth();

SaturationData draw_saturation_data(Rng& rng);

// log N(y; a x / (x + b), sigma^2), all constants included, at theta = (a, b, log sigma).
// Minus infinity, without gradient, where min(x) + b <= 0, the value would lie below -1e100,
// or theta is not finite.
Exact saturation_log_likelihood(const SaturationData& data, const Vector& theta, Want want);

}  // namespace hunch
