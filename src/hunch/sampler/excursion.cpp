#include "hunch/sampler/excursion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

constexpr double small_step_share = 0.3;
// Where a density is narrow, as in many a tail, flights by the usual step are all refused, and a chain that
// came there could not leave.
constexpr double small_flight_share = 0.25;
constexpr double small_flight = 0.25;
constexpr double difference_share = 0.3;
constexpr double leap_share = 0.2;  // of differences that are taken whole

struct Walker {
  Vector position;
  double log_density;
};

// Symmetric: a step and its reverse are equally likely.
void propose(const InnerWalk& walk, Vector& position, Vector& noise, Rng& rng) {
  const double kind = rng.uniform();
  const double size = rng.uniform();
  for (double& z : noise) z = rng.normal();
  if (walk.archive.cols() > 1 && kind < difference_share) {
    const auto n = static_cast<std::uint64_t>(walk.archive.cols());
    const Index a = static_cast<Index>(rng.below(n));
    const Index b = static_cast<Index>(rng.below(n));
    const double stretch =
        size < leap_share ? 1 : 2.38 / std::sqrt(2.0 * static_cast<double>(position.size()));
    position += stretch * (walk.archive.col(a) - walk.archive.col(b));
    noise *= 1e-3;
  } else {
    noise *= walk.scale * (size < small_step_share ? 0.3 : 1);
  }
  position.noalias() += walk.factor * noise;
}

// Room to work in: free steps are made by the thousand, and none of them allocates.
struct Room {
  Vector candidate;
  Vector noise;
  Vector gradient;
};

Index walk_on(Walker& walker, const InnerWalk& walk, Index steps, const SurrogateDensity& surrogate,
              Room& room, Rng& rng) {
  auto& [candidate, noise, unused] = room;
  Index accepted = 0;
  for (Index step = 0; step < steps; ++step) {
    candidate = walker.position;
    propose(walk, candidate, noise, rng);
    const double log_density = surrogate.log_density(candidate);
    if (!(std::log(rng.uniform()) < log_density - walker.log_density)) continue;
    walker.position.swap(candidate);
    walker.log_density = log_density;
    ++accepted;
  }
  return accepted;
}

Index fly_on(Walker& walker, const InnerHamiltonian& flight, Index steps, const SurrogateDensity& surrogate,
             Room& room, Rng& rng) {
  auto& [position, momentum, gradient] = room;
  Index accepted = 0;
  for (Index step = 0; step < steps; ++step) {
    const double size = rng.uniform() < small_flight_share ? small_flight : 1;
    const double epsilon = size * flight.step * (0.8 + 0.4 * rng.uniform());
    for (double& speed : momentum) speed = rng.normal();
    const double energy_before = 0.5 * momentum.squaredNorm() - walker.log_density;
    position = walker.position;
    double log_density = surrogate.log_density_and_gradient(position, gradient);
    for (Index leap = 0; leap < flight.leaps && log_density > -infinity; ++leap) {
      momentum.noalias() += 0.5 * epsilon * (flight.factor.transpose() * gradient);
      position.noalias() += epsilon * (flight.factor * momentum);
      log_density = surrogate.log_density_and_gradient(position, gradient);
      if (!(log_density > -infinity)) break;
      momentum.noalias() += 0.5 * epsilon * (flight.factor.transpose() * gradient);
    }
    const double energy_after = 0.5 * momentum.squaredNorm() - log_density;
    // A flight that left the support has infinite energy, and one through a slope that is not finite has
    // none: both are refused, as their reverses would be.
    if (!(std::log(rng.uniform()) < energy_before - energy_after)) continue;
    walker.position.swap(position);
    walker.log_density = log_density;
    ++accepted;
  }
  return accepted;
}

}  // namespace

Excursion excursion(const Vector& from, const InnerKernel& kernel, Index steps,
                    const SurrogateDensity& surrogate, Rng& rng) {
  const double log_uniform = std::log(rng.uniform());
  Walker walker{from, surrogate.log_density(from)};
  Walker before = walker;
  Room room{from, from, from};
  const double log_density_from = walker.log_density;
  Index accepted = 0;
  const auto* walk = std::get_if<InnerWalk>(&kernel);
  const Index block = surrogate.trusted ? (walk ? 10 : 1) : steps;
  if (surrogate.trusted && !surrogate.trusted(walker.position)) steps = 0;
  for (Index done = 0; done < steps; done += block) {
    const Index now = std::min(block, steps - done);
    before = walker;
    const Index moved = walk ? walk_on(walker, *walk, now, surrogate, room, rng)
                             : fly_on(walker, std::get<InnerHamiltonian>(kernel), now, surrogate, room, rng);
    if (moved > 0 && surrogate.trusted && !surrogate.trusted(walker.position))
      walker = before;
    else
      accepted += moved;
  }
  return {std::move(walker.position), log_density_from, walker.log_density, accepted, log_uniform};
}

Transition settle(const State& state, const Excursion& excursion, const PriorAt& prior, const Exact& exact) {
  const double log_ratio = exact.log_likelihood + prior.log_density - state.exact.log_likelihood -
                           state.prior.log_density + excursion.log_density_from - excursion.log_density_to;
  const double log_alpha = at_most_zero(log_ratio);
  if (excursion.log_uniform < log_alpha)
    return {{excursion.position, prior, exact}, {Verdict::accepted, 0, log_alpha}};
  return {state, {Verdict::rejected, 0, log_alpha}};
}

}  // namespace hunch
