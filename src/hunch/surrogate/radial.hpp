// Radial: a stationary correlation as a function of s, the squared distance in lengthscales.
#pragma once

#include <cmath>
#include <type_traits>

#include "hunch/core/lanes.hpp"

namespace hunch {

enum class CovarianceFamily { squared_exponential, matern52 };

// phi and its derivatives with respect to s. Matern-5/2's third derivative is infinite at s = 0; it is only
// ever multiplied by terms that vanish faster, and is given as 0 there.
struct Radial {
  double phi;
  double d1;
  double d2;
  double d3;
};
Radial radial(CovarianceFamily family, double s);

// The same for four distances, without the third. Where exp would be below 1e-100 all are exactly 0: such a
// value could only breed subnormal numbers.
struct RadialLanes {
  Lane phi;
  Lane d1;
  Lane d2;
};

template <CovarianceFamily family>
inline RadialLanes radial_lanes(const Lane& s) {
  constexpr double reach = 230;
  const Lane none = {};
  if constexpr (family == CovarianceFamily::squared_exponential) {
    const Lane half = 0.5 * s;
    Lane e = half < reach ? -half : none;
    exponentiate(e);
    const Lane phi = half < reach ? e : none;
    return {phi, -0.5 * phi, 0.25 * phi};
  } else {
    Lane r;
    Eigen::Map<Eigen::Array4d>(reinterpret_cast<double*>(&r)) =
        (5 * Eigen::Map<const Eigen::Array4d>(reinterpret_cast<const double*>(&s))).sqrt();
    const Lane near = r < reach ? r : none;
    Lane e = -near;
    exponentiate(e);
    e = r < reach ? e : none;
    return {(1 + near + near * near * (1.0 / 3)) * e, (-5.0 / 6) * ((1 + near) * e), (25.0 / 12) * e};
  }
}

// Calls body(integral_constant<family>): loops over lanes are compiled for each family.
template <class Body>
decltype(auto) with_family(CovarianceFamily family, Body body) {
  using enum CovarianceFamily;
  if (family == matern52) return body(std::integral_constant<CovarianceFamily, matern52>{});
  return body(std::integral_constant<CovarianceFamily, squared_exponential>{});
}

}  // namespace hunch
