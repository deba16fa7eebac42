// FiniteDifference: a gradient by central differences, with Richardson's correction, to judge an analytic
// one.
#pragma once

#include <functional>

#include "hunch/core/types.hpp"

namespace hunch {

// Error about h^4 times the fifth derivative plus the value's rounding over h.
inline Vector finite_difference(const std::function<double(const Vector&)>& f, const Vector& x, double h) {
  Vector gradient(x.size());
  for (Index j = 0; j < x.size(); ++j) {
    const auto slope = [&](double step) {
      Vector up = x, down = x;
      up[j] += step;
      down[j] -= step;
      return (f(up) - f(down)) / (up[j] - down[j]);
    };
    gradient[j] = (4 * slope(h) - slope(2 * h)) / 3;
  }
  return gradient;
}

}  // namespace hunch
