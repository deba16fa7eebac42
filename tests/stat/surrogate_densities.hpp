// The frozen surrogates of the rank test as densities for excursions: G = prior exp(s), s what the surrogate
// expects.
#pragma once

#include <memory>
#include <string>

#include "hunch/sampler/excursion.hpp"
#include "hunch/surrogate/trend_process.hpp"
#include "stat/surrogates.hpp"

namespace hunch::stat {

// value_process(quality) without its constant mean, as a process whose mean has a gradient at little cost.
inline TrendProcess departure_from_mean(const std::string& quality) {
  const Covariance covariance = covariance_of(quality);
  const bool smooth = covariance.family == CovarianceFamily::squared_exponential;
  const Matrix points = training_points(quality == "good" ? 14 : 4);
  Vector values(points.cols());
  for (Index i = 0; i < points.cols(); ++i)
    values[i] = Banana::exact(points.col(i)).log_likelihood - prior_mean_of(quality);
  return {{.lengthscales = covariance.lengthscales,
           .signal = smooth ? covariance.signal_variance : 0,
           .rough = smooth ? 0 : covariance.signal_variance,
           .quadratic = 0,
           .constant = 0,
           .bowl = 0},
          {points, values, Vector::Constant(points.cols(), 1e-8)}};
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
  const auto process = std::make_shared<const TrendProcess>(departure_from_mean(quality));
  const auto room = std::make_shared<TrendProcess::Workspace>();
  return {
      [process, room](const Vector& z) { return Banana::prior_at(z).log_density + process->mean(z, *room); },
      [process, room](const Vector& z, Vector& gradient) {
        const double value = process->mean_and_gradient(z, gradient, *room);
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
