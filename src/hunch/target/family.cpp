#include "hunch/target/family.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>

#include "hunch/core/numeric.hpp"
#include "hunch/target/boost_policy.hpp"

namespace hunch {
namespace {

constexpr double log_pi = 1.1447298858494001741;
constexpr double log_two = std::numbers::ln2;

// log(1 + r^2), also where r^2 overflows.
double log1p_square(double r) {
  return std::abs(r) < 1e100 ? std::log1p(r * r) : 2 * std::log(std::abs(r));
}

// z / (dof + z^2), also where z^2 overflows.
double pull(double z, double dof) {
  return std::abs(z) < 1 ? z / (dof + z * z) : 1 / (z + dof / z);
}

// Not the C library's, which writes to a global.
double log_gamma(double x) {
  return boost::math::lgamma(x, BoostPolicy{});
}

double log_beta_function(double a, double b) {
  const double value = boost::math::beta(a, b, BoostPolicy{});
  if (std::isnormal(value)) return std::log(value);
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

struct NaturalSupport {
  Support operator()(const Normal&) const { return {-infinity, infinity}; }
  Support operator()(const Cauchy&) const { return {-infinity, infinity}; }
  Support operator()(const StudentT&) const { return {-infinity, infinity}; }
  Support operator()(const Flat&) const { return {-infinity, infinity}; }
  Support operator()(const Uniform& f) const { return {f.low, f.high}; }
  Support operator()(const Beta&) const { return {0, 1}; }
  template <class PositiveFamily>
  Support operator()(const PositiveFamily&) const {
    return {0, infinity};
  }
};

struct LogNormaliser {
  double operator()(const Normal& f) const { return -std::log(f.sd) - log_two_pi / 2; }
  double operator()(const Lognormal& f) const { return -std::log(f.sigma) - log_two_pi / 2; }
  double operator()(const Uniform& f) const { return -std::log(f.high - f.low); }
  double operator()(const HalfNormal& f) const { return log_two - std::log(f.scale) - log_two_pi / 2; }
  double operator()(const HalfCauchy& f) const { return log_two - log_pi - std::log(f.scale); }
  double operator()(const Cauchy& f) const { return -log_pi - std::log(f.scale); }
  double operator()(const StudentT& f) const {
    // Gamma(dof/2) / Gamma(dof/2 + 1/2): a difference of two log-gammas would lose digits for a large dof.
    return -std::log(boost::math::tgamma_delta_ratio(f.dof / 2, 0.5, BoostPolicy{})) -
           (std::log(f.dof) + log_pi) / 2 - std::log(f.scale);
  }
  double operator()(const Exponential& f) const { return std::log(f.rate); }
  double operator()(const Gamma& f) const { return f.shape * std::log(f.rate) - log_gamma(f.shape); }
  double operator()(const InverseGamma& f) const { return f.shape * std::log(f.scale) - log_gamma(f.shape); }
  double operator()(const Beta& f) const { return -log_beta_function(f.a, f.b); }
  double operator()(const Flat&) const { return 0; }
};

double half_square(double z) {
  return z * z / 2;
}

struct LogKernel {
  const Place& at;

  double operator()(const Normal& f) const { return -half_square((at.theta - f.mean) / f.sd); }
  double operator()(const Lognormal& f) const {
    return -half_square((at.log_theta - f.mu) / f.sigma) - at.log_theta;
  }
  double operator()(const Uniform&) const { return 0; }
  double operator()(const HalfNormal& f) const { return -half_square(at.theta / f.scale); }
  double operator()(const HalfCauchy& f) const { return -log1p_exp(2 * (at.log_theta - std::log(f.scale))); }
  double operator()(const Cauchy& f) const { return -log1p_square((at.theta - f.location) / f.scale); }
  double operator()(const StudentT& f) const {
    return -(f.dof + 1) / 2 * log1p_square((at.theta - f.location) / f.scale / std::sqrt(f.dof));
  }
  double operator()(const Exponential& f) const { return -f.rate * at.theta; }
  double operator()(const Gamma& f) const { return (f.shape - 1) * at.log_theta - f.rate * at.theta; }
  double operator()(const InverseGamma& f) const {
    return -(f.shape + 1) * at.log_theta - f.scale / at.theta;
  }
  double operator()(const Beta& f) const {
    return (f.a - 1) * at.log_theta + (f.b - 1) * at.log_one_minus_theta;
  }
  double operator()(const Flat&) const { return 0; }
};

struct LogKernelSlope {
  const Place& at;

  Slope operator()(const Normal& f) const { return {.regular = -(at.theta - f.mean) / f.sd / f.sd}; }
  Slope operator()(const Lognormal& f) const {
    return {.over_theta = -1 - (at.log_theta - f.mu) / f.sigma / f.sigma};
  }
  Slope operator()(const Uniform&) const { return {}; }
  Slope operator()(const HalfNormal& f) const { return {.regular = -at.theta / f.scale / f.scale}; }
  Slope operator()(const HalfCauchy& f) const {
    return {.over_theta = -2 * logistic(2 * (at.log_theta - std::log(f.scale)))};
  }
  Slope operator()(const Cauchy& f) const {
    return {.regular = -2 * pull((at.theta - f.location) / f.scale, 1) / f.scale};
  }
  Slope operator()(const StudentT& f) const {
    return {.regular = -(f.dof + 1) * pull((at.theta - f.location) / f.scale, f.dof) / f.scale};
  }
  Slope operator()(const Exponential& f) const { return {.regular = -f.rate}; }
  Slope operator()(const Gamma& f) const { return {.regular = -f.rate, .over_theta = f.shape - 1}; }
  Slope operator()(const InverseGamma& f) const { return {.over_theta = f.scale / at.theta - (f.shape + 1)}; }
  Slope operator()(const Beta& f) const {
    return {.over_theta = f.a - 1, .over_one_minus_theta = -(f.b - 1)};
  }
  Slope operator()(const Flat&) const { return {}; }
};

}  // namespace

Support support(const Family& family) {
  return std::visit(NaturalSupport{}, family);
}

double log_normaliser(const Family& family) {
  return std::visit(LogNormaliser{}, family);
}

double log_kernel(const Family& family, const Place& place) {
  return std::visit(LogKernel{place}, family);
}

Slope log_kernel_slope(const Family& family, const Place& place) {
  return std::visit(LogKernelSlope{place}, family);
}

}  // namespace hunch
