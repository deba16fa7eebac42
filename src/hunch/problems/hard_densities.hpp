// HardDensities: log-likelihoods that surrogates find hard: a jump, a wiggle, a funnel, curved ridges.
//
// In each the coordinates are independent, or normal given one other, so that moments follow from quadrature
// in one dimension.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

// A standard normal in two dimensions, not normalised, three nats lower where theta_1 > 0.5. The gradient is
// that of the smooth part.
Exact cliff_log_density(const Vector& theta, Want want);
inline constexpr double cliff_edge = 0.5;
inline constexpr double cliff_height = 3;

// A standard normal in two dimensions, not normalised, plus cos(40 theta_1) + cos(47 theta_2 + 1): waves much
// shorter than any distance between evaluations.
Exact rough_log_density(const Vector& theta, Want want);

// Four observations theta_2 .. theta_5 ~ N(0, e^v), v = theta_1, as in Neal's funnel; normalised.
Exact funnel_log_density(const Vector& theta, Want want);
inline constexpr Index funnel_dimension = 5;

// Ten pairs (x, y) with log density -(100 (y - x^2)^2 + (1 - x)^2) / 20, not normalised; theta holds pair
// after pair.
Exact rosenbrock_log_density(const Vector& theta, Want want);
inline constexpr Index rosenbrock_dimension = 20;

}  // namespace hunch
