// The frozen surrogates of the rank test as densities for excursions: G = prior exp(s), s what the surrogate
// expects.
#pragma once

#include <memory>
#include <string>

#include "hunch/sampler/excursion.hpp"
#include "stat/surrogates.hpp"

namespace hunch::stat {

// What process_of(quality, values) expects, but for a little noise.
inline MeanFunction mean_of(const std::string& quality) {
  Data data = observed(training_points(quality == "good" ? 14 : 4), Observes::values);
  data.noise_variances = Vector::Constant(data.values.size(), 1e-8);
  return GaussianProcess::condition(covariance_of(quality), data, prior_mean_of(quality), with_noise)
      .mean_function();
}

// A density that has nothing to do with the target, not a number in one strip and nought in a corner; its
// gradient belongs to no density at all.
inline SurrogateDensity rubbish_density() {
  const auto log_density = [](const Vector& z) {
    if (z[0] > 0.5 && z[0] < 0.6) return std::numeric_limits<double>::quiet_NaN();
    if (z[0] < -0.7 && z[1] < 0.4) return -std::numeric_limits<double>::infinity();
    return 2 * std::sin(3 * z[0] + 1.3 * z[1]) - 0.1 * z.squaredNorm();
  };
  return {log_density, [log_density](const Vector& z, Vector& gradient) {
            gradient = Vector{{std::sin(4 * z[1]), std::cos(3 * z[0] - z[1])}};
            return log_density(z);
          }};
}

inline SurrogateDensity density_of(const std::string& quality) {
  if (quality == "garbage") return rubbish_density();
  const auto mean = std::make_shared<const MeanFunction>(mean_of(quality));
  const auto room = std::make_shared<MeanFunction::Workspace>();
  return {[mean, room](const Vector& z) { return Banana::prior_at(z).log_density + mean->value(z, *room); },
          [mean, room](const Vector& z, Vector& gradient) {
            const double value = mean->value_and_gradient(z, gradient, *room);
            const PriorAt prior = Banana::prior_at(z);
            gradient += prior.gradient;
            return prior.log_density + value;
          }};
}

// Positions whose differences reach along the banana.
inline Matrix archive() {
  return training_points(7).rightCols(5);
}

}  // namespace hunch::stat
