#include "hunch/run/inner_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/convergence.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

namespace {

constexpr Index trial_chains = 4;
// That an excursion lasts. Short trials seldom see tails, where walks are slowest: with 3, the banana's arms
// held a chain for many excursions, each of them accepted. Free steps are cheap.
constexpr double correlation_times = 10;
constexpr double price_of_gradient = 2.5;  // in values
constexpr double lift_from = 3;            // sds from the mean
constexpr double lift_slope = 0.25;        // nats for each sd
constexpr double most_lift = 3;            // nats

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

Flight best_flight(const Landscape& landscape, const SurrogateDensity& surrogate, const Matrix& archive,
                   std::uint64_t seed) {
  const double quarter_turn = 1.5;
  double step = 1 / std::pow(static_cast<double>(archive.rows()), 0.25);
  Flight best{{landscape.frame().factor, step, 1}, infinity};
  for (int halving = 0; halving < 3; ++halving, step /= 2) {
    const auto leaps = std::max<Index>(1, static_cast<Index>(std::lround(quarter_turn / step)));
    const InnerHamiltonian kernel{landscape.frame().factor, step, leaps};
    const Trial trial = try_out(kernel, 60, surrogate, archive, seed);
    best = {kernel, trial.correlation_time};
    if (trial.acceptance > 0.7) break;
  }
  return best;
}

// In nats.
double lifted_by(const TailLifts& lifts, const Vector& position) {
  double sum = 0;
  for (const TailLift& lift : lifts) {
    const double value = theta(lift.transform, position[lift.parameter]);
    const double sds = lift.side * (value - lift.from) / lift.sd;
    sum += std::clamp(lift_slope * sds, 0.0, most_lift);
  }
  return sum;
}

}  // namespace

TailLifts lifts_of(const Cloud& cloud, const Parameters& parameters) {
  TailLifts lifts;
  for (const Tail& tail : heavy_tails(cloud)) {
    const Prior& prior = parameters.list()[static_cast<std::size_t>(tail.quantity)].prior;
    lifts.push_back({tail.quantity, transform_onto(support(prior)), tail.side, tail.at(lift_from), tail.sd});
  }
  return lifts;
}

SurrogateDensity density_of(const Landscape& landscape, const Parameters& parameters, TailLifts lifts) {
  const auto room = std::make_shared<TrendProcess::Workspace>();
  return {[&landscape, &parameters, room, lifts](const Vector& position) {
            const double log_prior = parameters.log_prior(position);
            if (!(log_prior > -infinity)) return -infinity;
            return log_prior + landscape.value(position, *room) + lifted_by(lifts, position);
          },
          // Without the lifts' slope: a flight by a slope that is a little off is as reversible.
          [&landscape, &parameters, room, lifts](const Vector& position, Vector& gradient) {
            const double log_prior = parameters.log_prior(position);
            if (!(log_prior > -infinity)) return -infinity;
            const double value = landscape.value_and_gradient(position, gradient, *room);
            parameters.add_log_prior_gradient(position, gradient);
            return log_prior + value + lifted_by(lifts, position);
          }};
}

InnerChoice choose_inner(const Landscape& landscape, const Parameters& parameters, const Matrix& archive,
                         std::uint64_t seed, const TailLifts& lifts) {
  const Index d = archive.rows();
  const SurrogateDensity surrogate = density_of(landscape, parameters, lifts);
  const InnerWalk walk{landscape.frame().factor, 2.38 / std::sqrt(static_cast<double>(d)), archive};
  const Trial walked = try_out(walk, 400 + 60 * d, surrogate, archive, seed);
  const Flight flight = best_flight(landscape, surrogate, archive, seed);
  const double price_of_flight =
      flight.correlation_time * static_cast<double>(flight.kernel.leaps + 1) * price_of_gradient;
  const auto steps = [](double correlation_time, double least, double most) {
    return static_cast<Index>(std::clamp(std::ceil(correlation_times * correlation_time), least, most));
  };
  if (price_of_flight < walked.correlation_time)
    return {flight.kernel, steps(flight.correlation_time, 4, 60), lifts};
  return {walk, steps(walked.correlation_time, 20, 600), lifts};
}

}  // namespace hunch
