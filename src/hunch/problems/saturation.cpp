#include "hunch/problems/saturation.hpp"

#include <cmath>

#include "hunch/core/numeric.hpp"

namespace hunch {

Vector saturation_truth() {
  return Eigen::Vector3d(0.14, 50, std::log(0.1));
}

SaturationData draw_saturation_data(Rng& rng) {
  SaturationData data;
  data.x.resize(7);
  data.x << 28, 55, 83, 110, 138, 225, 375;
  const Vector truth = saturation_truth();
  const Vector curve = truth[0] * data.x.array() / (data.x.array() + truth[1]);
  data.y = curve + std::exp(truth[2]) * rng.normal(data.x.size());
  return data;
}

Exact saturation_log_likelihood(const SaturationData& data, const Vector& theta, Want want) {
  const double a = theta[0];
  const double b = theta[1];
  const double log_sigma = theta[2];
  if (!(data.x.minCoeff() + b > 0)) return {-infinity, std::nullopt};
  const double precision = std::exp(-2 * log_sigma);
  const auto n = static_cast<double>(data.x.size());

  const Vector share = data.x.array() / (data.x.array() + b);
  const Vector residual = data.y - a * share;
  const double squares = precision * residual.squaredNorm();
  const double value = -0.5 * squares - n * (log_sigma + 0.5 * log_two_pi);
  if (!(value > -1e100 && value < infinity)) return {-infinity, std::nullopt};
  if (want == Want::value) return {value, std::nullopt};

  Vector gradient(3);
  gradient[0] = precision * residual.dot(share);
  gradient[1] = -precision * a * (residual.array() * share.array() / (data.x.array() + b)).sum();
  gradient[2] = squares - n;
  return {value, gradient};
}

}  // namespace hunch
