// Banana: a curved two-dimensional density in closed form, the paper's T1.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

// -[(x - 0.2)^2 + 2 (y - x^2)^2] at theta = (x, y), not normalised; its normalising constant is pi / sqrt(2).
// Minus infinity, without gradient, where the value would lie below -1e100 or theta is not finite.
Exact banana_log_density(const Vector& theta, Want want);

// The mean of the density: (0.2, 0.2^2 + 1/2).
Vector banana_mean();

}  // namespace hunch
