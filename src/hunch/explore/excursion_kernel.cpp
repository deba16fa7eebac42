#include "hunch/explore/excursion_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/convergence.hpp"

namespace hunch {

namespace {

constexpr Index trial_chains = 4;
constexpr double price_of_gradient = 2.5;  // in values
constexpr Index most_flights = 100;
constexpr Index most_walk_steps = 1000;

struct Trial {
  double correlation_time;  // in steps; infinite if a chain stood still
  double acceptance;
};

// Free chains from draws of the surrogate.
Trial try_out(const InnerKernel& kernel, Index steps, const SurrogateDensity& surrogate,
              const Matrix& archive, std::uint64_t seed) {
  const Index d = archive.rows();
  std::vector<Matrix> values(static_cast<std::size_t>(d), Matrix(steps, trial_chains));
  double accepted = 0;
  for (Index chain = 0; chain < trial_chains; ++chain) {
    Rng rng({seed, static_cast<std::uint32_t>(chain), kernel.index(), Purpose::pilot});
    Vector position = archive.col(chain * archive.cols() / trial_chains);
    for (Index step = 0; step < steps; ++step) {
      const Excursion one = excursion(position, kernel, 1, surrogate, rng);
      position = one.position;
      accepted += static_cast<double>(one.accepted);
      for (Index j = 0; j < d; ++j) values[static_cast<std::size_t>(j)](step, chain) = position[j];
    }
  }
  const double n = static_cast<double>(steps * trial_chains);
  double least = n;
  for (const Matrix& x : values)
    least = std::min({least, ess_mean(x).value_or(0), ess_squares(x).value_or(0)});
  return {least > 0 ? n / least : infinity, accepted / n};
}

struct Flight {
  InnerHamiltonian kernel;
  double correlation_time;
};

Flight best_flight(const SurrogateDensity& surrogate, const Matrix& factor, const Matrix& archive,
                   std::uint64_t seed) {
  const double quarter_turn = 1.5;
  double step = 1 / std::pow(static_cast<double>(archive.rows()), 0.25);
  Flight best{{factor, step, 1}, infinity};
  for (int halving = 0; halving < 3; ++halving, step /= 2) {
    const auto leaps = std::max<Index>(1, static_cast<Index>(std::lround(quarter_turn / step)));
    const InnerHamiltonian kernel{factor, step, leaps};
    const Trial trial = try_out(kernel, 60, surrogate, archive, seed);
    best = {kernel, trial.correlation_time};
    if (trial.acceptance > 0.7) break;
  }
  return best;
}

}  // namespace

SurrogateDensity density_of(const Landscape& landscape, const Parameters& parameters, double trust) {
  const auto room = std::make_shared<GaussianProcess::Workspace>();
  return {
      [&landscape, &parameters, room](const Vector& position) {
        const double log_prior = parameters.log_prior(position);
        return log_prior > -infinity ? log_prior + landscape.value(position, *room) : -infinity;
      },
      [&landscape, &parameters, room](const Vector& position, Vector& gradient) {
        const double log_prior = parameters.log_prior(position);
        if (!(log_prior > -infinity)) return -infinity;
        const double value = landscape.value_and_gradient(position, gradient, *room);
        parameters.add_log_prior_gradient(position, gradient);
        return log_prior + value;
      },
      [&landscape, trust, room](const Vector& position) { return landscape.knows(position, trust, *room); },
      [&landscape](const Vector& x, const Vector& y) {
        Matrix ends(x.size(), 2);
        ends << x, y;
        GaussianProcess::Joint joint = landscape.joint(ends);
        return PairBelief{std::move(joint.means), Vector::Zero(2), std::move(joint.covariance), 0};
      },
      [&parameters](const Vector& x) {
        return PriorAt{parameters.log_prior(x), {}};
      }};
}

ExcursionKernel choose_excursion_kernel(const SurrogateDensity& surrogate, const Matrix& factor,
                                        const Matrix& archive, double correlation_times, std::uint64_t seed) {
  const Index d = archive.rows();
  const InnerWalk walk{factor, 2.38 / std::sqrt(static_cast<double>(d)), archive};
  const Trial walked = try_out(walk, 400 + 60 * d, surrogate, archive, seed);
  const Flight flight = best_flight(surrogate, factor, archive, seed);
  const double price_of_flight =
      flight.correlation_time * static_cast<double>(flight.kernel.leaps + 1) * price_of_gradient;
  const auto steps = [&](double correlation_time, Index least, Index most) {
    const double wanted = std::ceil(correlation_times * correlation_time);
    return std::clamp(static_cast<Index>(std::min(wanted, static_cast<double>(most))), least, most);
  };
  if (price_of_flight < walked.correlation_time)
    return {flight.kernel, steps(flight.correlation_time, 4, most_flights)};
  return {walk, steps(walked.correlation_time, 20, most_walk_steps)};
}

}  // namespace hunch
