// Prior: what is believed about one parameter before any evaluation: a family, its arguments, and bounds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "hunch/target/place.hpp"

namespace hunch {

struct Normal {
  double mean, sd;
  bool operator==(const Normal&) const = default;
};
// log theta ~ normal(mu, sigma)
struct Lognormal {
  double mu, sigma;
  bool operator==(const Lognormal&) const = default;
};
struct Uniform {
  double low, high;
  bool operator==(const Uniform&) const = default;
};
// |x| for x ~ normal(0, scale)
struct HalfNormal {
  double scale;
  bool operator==(const HalfNormal&) const = default;
};
// |x| for x ~ cauchy(0, scale)
struct HalfCauchy {
  double scale;
  bool operator==(const HalfCauchy&) const = default;
};
struct Cauchy {
  double location, scale;
  bool operator==(const Cauchy&) const = default;
};
struct StudentT {
  double dof, location, scale;
  bool operator==(const StudentT&) const = default;
};
// mean 1 / rate
struct Exponential {
  double rate;
  bool operator==(const Exponential&) const = default;
};
// mean shape / rate
struct Gamma {
  double shape, rate;
  bool operator==(const Gamma&) const = default;
};
// 1 / x for x ~ gamma(shape, rate = scale)
struct InverseGamma {
  double shape, scale;
  bool operator==(const InverseGamma&) const = default;
};
struct Beta {
  double a, b;
  bool operator==(const Beta&) const = default;
};
// Density one: improper, unless both bounds make it uniform.
struct Flat {
  bool operator==(const Flat&) const = default;
};

using Family = std::variant<Normal, Lognormal, Uniform, HalfNormal, HalfCauchy, Cauchy, StudentT, Exponential,
                            Gamma, InverseGamma, Beta, Flat>;

// The family truncated to (lower, upper) and renormalised; a bound left out does not truncate.
struct Prior {
  Family family;
  std::optional<double> lower = std::nullopt;
  std::optional<double> upper = std::nullopt;
  bool operator==(const Prior&) const = default;
};

// The open interval on which the density is positive; its ends may be infinite.
struct Support {
  double lower, upper;
  bool contains(double theta) const { return lower < theta && theta < upper; }
  bool operator==(const Support&) const = default;
};

void validate(const Prior& prior);  // throws InputError: which argument, what was given, what is allowed
Support support(const Prior& prior);
bool is_proper(const Prior& prior);

// A prior checked once, with the constants its density needs: what the sampler calls at every iteration.
class PriorDensity {
 public:
  explicit PriorDensity(const Prior& prior);  // throws InputError as validate does

  const Support& support() const { return support_; }

  // Normalised (an improper flat prior: zero inside); minus infinity outside the open support and for NaN.
  double log_density(double theta) const;
  double log_density_derivative(double theta) const;  // zero where the density is zero

  // The same at a place known to lie inside the support, exact where theta itself rounds to an end of it.
  double log_density(const Place& place) const;
  Slope log_density_slope(const Place& place) const;

  // theta with probability u below it; throws InputError unless 0 < u < 1 and the prior is proper.
  double quantile(double u) const;

 private:
  Family family_;  // flat between two finite bounds is kept as uniform
  Support support_;
  double log_constant_;
};

// One-off forms of the above: each call pays for the checks and constants again.
double log_density(const Prior& prior, double theta);
double log_density_derivative(const Prior& prior, double theta);
double quantile(const Prior& prior, double u);

// "lognormal(1, 0.5)", "normal(2, 3, lower=1)", "beta(2, 2, lower=0.1, upper=0.9)", "flat", "flat(lower=0)".
// parse_prior throws InputError for text that is malformed or describes no valid prior.
Prior parse_prior(std::string_view text);
std::string to_text(const Prior& prior);  // parse_prior(to_text(prior)) == prior, bit for bit

}  // namespace hunch
