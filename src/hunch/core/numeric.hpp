// Numeric: the few scalar functions that several rooms need and the standard library lacks.
#pragma once

#include <cmath>
#include <limits>

namespace hunch {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double log_two_pi = 1.8378770664093454836;

// log(1 + e^x) without overflow.
inline double log1p_exp(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

// 1 / (1 + e^-x) without overflow.
inline double logistic(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

// min(x, 0), where NaN gives minus infinity: a comparison that fails rejects.
inline double at_most_zero(double x) {
  return std::isnan(x) ? -infinity : std::fmin(x, 0.0);
}

}  // namespace hunch
