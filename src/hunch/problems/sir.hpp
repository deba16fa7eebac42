// Sir: an epidemic's ordinary differential equation with lognormal observations, the paper's T4.
#pragma once

#include "hunch/core/rng.hpp"
#include "hunch/core/types.hpp"

namespace hunch {

// Logarithms of the two states at the observation times 0.25, 0.5, ..., 4.75, or of what was observed.
struct SirSeries {
  Vector log_susceptible;
  Vector log_infected;
};

inline constexpr Index sir_time_count = 19;
inline constexpr double sir_interval = 0.25;

// theta = (R0, gamma, sigma_1, sigma_2) that makes the data: (4, 1, 0.2, 0.3).
Vector sir_truth();

// S' = -beta S I, I' = beta S I - gamma I, (S, I)(0) = (0.99, 0.01), beta = R0 gamma; rates at most
// sir_fastest. Relative error of the states about 1e-11 (R0 up to 12; 1e-10 at 100).
SirSeries solve_sir(double r0, double gamma);
inline constexpr double sir_fastest = 4000;  // beta + gamma, per unit of time

SirSeries draw_sir_data(Rng& rng);

// Log density of the observed S and I (lognormal: the 1/y terms and all constants are included) at
// theta = (R0, gamma, sigma_1, sigma_2). Minus infinity, without gradient, where R0 or gamma is not positive,
// beta + gamma exceeds sir_fastest (the work grows with it), R0 exceeds 1e50, or a sigma is outside
// [1e-50, 1e50].
Exact sir_log_likelihood(const SirSeries& observed, const Vector& theta, Want want);

}  // namespace hunch
