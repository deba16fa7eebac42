#include "hunch/core/rng.hpp"

#include <Random123/philox.h>

#include <cmath>

namespace hunch {

Rng::Rng(Address address)
    : key_{address.seed, (static_cast<std::uint64_t>(address.purpose) << 32) | address.chain},
      iteration_(address.iteration) {}

std::uint64_t Rng::bits() {
  if (used_ == 4) {
    const r123::Philox4x64::ctr_type counter{{next_block_++, iteration_, 0, 0}};
    const r123::Philox4x64::key_type key{{key_[0], key_[1]}};
    const auto block = r123::Philox4x64()(counter, key);
    for (unsigned i = 0; i < 4; ++i) buffer_[i] = block[i];
    used_ = 0;
  }
  return buffer_[used_++];
}

double Rng::uniform() {
  return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53;
}

double Rng::normal() {
  return normal_quantile(uniform());
}

Vector Rng::normal(Index n) {
  Vector z(n);
  for (Index i = 0; i < n; ++i) z[i] = normal();
  return z;
}

std::uint64_t Rng::below(std::uint64_t n) {
  // Values under 2^64 mod n are drawn again, so that every residue is equally likely.
  const std::uint64_t rejected = (0 - n) % n;
  for (;;) {
    const std::uint64_t draw = bits();
    if (draw >= rejected) return draw % n;
  }
}

namespace {

template <std::size_t N>
double polynomial(const double (&coefficients)[N], double x) {
  double value = coefficients[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) value = value * x + coefficients[i];
  return value;
}

// Coefficients of AS 241 (Wichura 1988): central region, near tails, far tails.
constexpr double central_numerator[] = {
    3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
    4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr double central_denominator[] = {1.0,
                                          4.2313330701600911252e1,
                                          6.8718700749205790830e2,
                                          5.3941960214247511077e3,
                                          2.1213794301586595867e4,
                                          3.9307895800092710610e4,
                                          2.8729085735721942674e4,
                                          5.2264952788528545610e3};
constexpr double near_numerator[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                     5.76949722146069140550e0,  3.64784832476320460504e0,
                                     1.27045825245236838258e0,  2.41780725177450611770e-1,
                                     2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double near_denominator[] = {1.0,
                                       2.05319162663775882187e0,
                                       1.67638483018380384940e0,
                                       6.89767334985100004550e-1,
                                       1.48103976427480074590e-1,
                                       1.51986665636164571966e-2,
                                       5.47593808499534494600e-4,
                                       1.05075007164441684324e-9};
constexpr double far_numerator[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                    1.78482653991729133580e0,  2.96560571828504891230e-1,
                                    2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                    2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double far_denominator[] = {1.0,
                                      5.99832206555887937690e-1,
                                      1.36929880922735805310e-1,
                                      1.48753612908506148525e-2,
                                      7.86869131145613259100e-4,
                                      1.84631831751005468180e-5,
                                      1.42151175831644588870e-7,
                                      2.04426310338993978564e-15};

}  // namespace

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(central_numerator, r) / polynomial(central_denominator, r);
  }
  const double tail = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double magnitude =
      tail <= 5 ? polynomial(near_numerator, tail - 1.6) / polynomial(near_denominator, tail - 1.6)
                : polynomial(far_numerator, tail - 5) / polynomial(far_denominator, tail - 5);
  return q < 0 ? -magnitude : magnitude;
}

}  // namespace hunch
