// Population: many walkers that sample a density which costs nothing to evaluate.
#pragma once

#include <functional>

#include "hunch/core/moments.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/core/types.hpp"

namespace hunch {

// One log density for each column; up to a constant, minus infinity outside the support.
using LogDensities = std::function<Vector(const Matrix& positions)>;

struct Population {
  Matrix positions;  // one column for each walker
  Vector log_densities;

  Index size() const { return positions.cols(); }
};

// `size` walkers picked from `pool` by density, at a temperature high enough that many are picked.
Population pick(const Matrix& pool, const LogDensities& density, Index size, Rng& rng);

// Sweeps of random-walk and differential-evolution steps, half of the walkers against the other half: each
// sweep leaves the density invariant. Returns the share of steps accepted.
double evolve(Population& population, const LogDensities& density, Index sweeps, Rng& rng);

}  // namespace hunch
