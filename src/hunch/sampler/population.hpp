// Population: many walkers that sample a density which costs nothing to evaluate.
#pragma once

#include <functional>

#include "hunch/core/moments.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/core/types.hpp"

namespace hunch {

// One log density for each column; up to a constant, minus infinity outside the support.
using LogDensities = std::function<Vector(const Matrix& positions)>;

// Whether walkers may be at a position. An empty one is everywhere.
using Region = std::function<bool(const Vector& position)>;

struct Population {
  Matrix positions;  // one column for each walker
  Vector log_densities;

  Index size() const { return positions.cols(); }
};

// `size` walkers picked from `pool` by density, at a temperature high enough that many are picked.
Population pick(const Matrix& pool, const LogDensities& density, Index size, Rng& rng);

// Sweeps of random-walk and differential-evolution steps, half of the walkers against the other half: each
// leaves the density, restricted to the region, invariant. Regions may be dear: they are asked about walkers
// that have moved, once in a few sweeps. Returns the share of steps accepted.
double evolve(Population& population, const LogDensities& density, const Region& region, Index sweeps,
              Rng& rng);

}  // namespace hunch
