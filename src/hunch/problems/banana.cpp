#include "hunch/problems/banana.hpp"

#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

constexpr double centre = 0.2;
constexpr double curvature = 2;

}  // namespace

Exact banana_log_density(const Vector& theta, Want want) {
  const double x = theta[0];
  const double across = theta[1] - x * x;
  const double along = x - centre;
  const double value = -(along * along + curvature * across * across);
  if (!(value > -1e100)) return {-infinity, std::nullopt};
  if (want == Want::value) return {value, std::nullopt};
  Vector gradient(2);
  gradient << -2 * along + 4 * curvature * across * x, -2 * curvature * across;
  return {value, gradient};
}

Vector banana_mean() {
  return Eigen::Vector2d(centre, centre * centre + 0.5);
}

}  // namespace hunch
