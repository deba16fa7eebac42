#include "hunch/problems/logistic.hpp"

#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

constexpr Index point_count = 1000;
constexpr Index coefficient_count = 5;

// Sum of log(1 + u_i) for u in [0, 1], with one logarithm per 512 values: their product is at most 2^512.
double sum_log1p(const Vector& u) {
  constexpr Index most = 512;
  double sum = 0;
  for (Index begin = 0; begin < u.size(); begin += most) {
    const Index count = std::min(most, u.size() - begin);
    sum += std::log((1 + u.segment(begin, count).array()).prod());
  }
  return sum;
}

}  // namespace

LogisticData draw_logistic_data(Rng& rng) {
  LogisticData data;
  data.truth = rng.normal(coefficient_count);
  data.signed_design.resize(point_count, coefficient_count);
  for (Index i = 0; i < point_count; ++i) {
    Vector row(coefficient_count);
    row << 1, rng.normal(coefficient_count - 1);
    const double sign = rng.uniform() < logistic(row.dot(data.truth)) ? -1 : 1;
    data.signed_design.row(i) = sign * row.transpose();
  }
  return data;
}

Exact logistic_log_likelihood(const LogisticData& data, const Vector& theta, Want want) {
  // The sum of sizes is NaN or infinite when any coefficient is.
  if (!(theta.lpNorm<1>() <= 1e90)) return {-infinity, std::nullopt};
  const Vector z = data.signed_design * theta;
  // log(1 + e^z) = max(z, 0) + log(1 + u), logistic(z) = (z > 0 ? 1 : u) / (1 + u), with u = e^-|z|.
  const Vector u = (-z.array().abs()).exp();
  const double value = -z.cwiseMax(0.0).sum() - sum_log1p(u);
  if (want == Want::value) return {value, std::nullopt};
  const Vector probability = (z.array() > 0).select(1.0, u.array()) / (1 + u.array());
  return {value, -(data.signed_design.transpose() * probability)};
}

}  // namespace hunch
