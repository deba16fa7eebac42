#include "hunch/sampler/population.hpp"

#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

constexpr double walk_share = 0.6;  // of steps that are random walks; the rest are differences of walkers
constexpr double leap_share = 0.1;  // of difference steps that go the whole way, from mode to mode
constexpr double small_step_share = 0.3;
constexpr Index sweeps_a_turn = 5;

// Some of the walkers move once; proposals are shaped by others, which stand still, and by their covariance.
Index move(Population& population, Index first, Index count, const Matrix& others, const Matrix& lower,
           const LogDensities& density, Rng& rng) {
  const Index d = population.positions.rows();
  const double root = std::sqrt(static_cast<double>(d));
  Matrix proposed = population.positions.middleCols(first, count);
  for (Index i = 0; i < count; ++i) {
    if (rng.uniform() < walk_share) {
      const double scale = 2.38 / root * (rng.uniform() < small_step_share ? 0.3 : 1.0);
      proposed.col(i) += scale * (lower * rng.normal(d));
    } else {
      const auto n = static_cast<std::uint64_t>(others.cols());
      const Index a = static_cast<Index>(rng.below(n));
      const Index b = static_cast<Index>(rng.below(n));
      const double stretch = rng.uniform() < leap_share ? 1.0 : 2.38 / std::sqrt(2.0) / root;
      proposed.col(i) += stretch * (others.col(a) - others.col(b)) + 1e-3 * (lower * rng.normal(d));
    }
  }
  const Vector proposed_densities = density(proposed);
  Index accepted = 0;
  for (Index i = 0; i < count; ++i) {
    const double log_ratio = proposed_densities[i] - population.log_densities[first + i];
    if (!(std::log(rng.uniform()) < log_ratio)) continue;
    population.positions.col(first + i) = proposed.col(i);
    population.log_densities[first + i] = proposed_densities[i];
    ++accepted;
  }
  return accepted;
}

// A few steps of half of the walkers. Who has left the region goes back to where it began: it was a
// reversible walk, whose restriction is reversible too.
Index take_turn(Population& population, Index first, Index count, const LogDensities& density,
                const Region& region, Index steps, Rng& rng) {
  const Matrix others = first == 0 ? population.positions.rightCols(population.size() - count)
                                   : population.positions.leftCols(first);
  const Matrix lower = Eigen::LLT<Matrix>(moments(others).covariance).matrixL();
  const Matrix before = population.positions.middleCols(first, count);
  const Vector densities_before = population.log_densities.segment(first, count);
  Index accepted = 0;
  for (Index step = 0; step < steps; ++step)
    accepted += move(population, first, count, others, lower, density, rng);
  for (Index i = 0; region && i < count; ++i) {
    const auto now = population.positions.col(first + i);
    if (now == before.col(i) || region(now)) continue;
    population.positions.col(first + i) = before.col(i);
    population.log_densities[first + i] = densities_before[i];
  }
  return accepted;
}

// Weights exp(l / T) with the lowest temperature, at least 1, whose effective number is `wanted` or more.
Vector tempered_weights(const Vector& log_densities, double wanted) {
  const double top = log_densities.maxCoeff();
  double temperature = 1;
  for (;;) {
    const Vector weights = ((log_densities.array() - top) / temperature).exp();
    if (std::pow(weights.sum(), 2) / weights.squaredNorm() >= wanted || temperature > 1e12)
      return weights / weights.sum();
    temperature *= 1.3;
  }
}

}  // namespace

Population pick(const Matrix& pool, const LogDensities& density, Index size, Rng& rng) {
  const Vector all = density(pool);
  const Vector weights = tempered_weights(all, 0.2 * static_cast<double>(std::min(size, pool.cols())));
  Population population{Matrix(pool.rows(), size), Vector(size)};
  // Systematic resampling: each pool member about its share.
  const double offset = rng.uniform();
  Index from = 0;
  double sum = weights[0];
  for (Index i = 0; i < size; ++i) {
    const double at = (static_cast<double>(i) + offset) / static_cast<double>(size);
    while (sum < at && from + 1 < pool.cols()) sum += weights[++from];
    population.positions.col(i) = pool.col(from);
    population.log_densities[i] = all[from];
  }
  // Neighbours in the pool must not become one half.
  for (Index i = size - 1; i > 0; --i) {
    const Index j = static_cast<Index>(rng.below(static_cast<std::uint64_t>(i + 1)));
    population.positions.col(i).swap(population.positions.col(j));
    std::swap(population.log_densities[i], population.log_densities[j]);
  }
  return population;
}

double evolve(Population& population, const LogDensities& density, const Region& region, Index sweeps,
              Rng& rng) {
  const Index half = population.size() / 2;
  const Index rest = population.size() - half;
  Index accepted = 0;
  for (Index done = 0; done < sweeps; done += sweeps_a_turn) {
    const Index steps = std::min(sweeps_a_turn, sweeps - done);
    accepted += take_turn(population, 0, half, density, region, steps, rng);
    accepted += take_turn(population, half, rest, density, region, steps, rng);
  }
  return static_cast<double>(accepted) / static_cast<double>(std::max<Index>(1, sweeps * population.size()));
}

}  // namespace hunch
