// EightSchools: the hierarchical model of eight coaching experiments (Rubin, 1981), not centred.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

inline constexpr Index school_count = 8;

// Estimated effects and their standard errors.
Vector school_effects();
Vector school_errors();

// log N(effects; mu + tau eta, errors^2), all constants included, at theta = (mu, tau, eta_1 .. eta_8).
Exact eight_schools_log_likelihood(const Vector& theta, Want want);

}  // namespace hunch
