#include "hunch/target/prior.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/types.hpp"
#include "hunch/target/family.hpp"
#include "hunch/target/number_text.hpp"
#include "hunch/target/tails.hpp"

namespace hunch {
namespace {

Place place_at(double theta) {
  return {theta, std::log(theta), std::log1p(-theta)};
}

[[noreturn]] void refuse(const Prior& prior, const std::string& problem) {
  throw InputError(to_text(prior) + ": " + problem);
}

void check_arguments(const Prior& prior) {
  std::visit(
      [&]<class F>(const F& family) {
        for (const Argument<F>& argument : Signature<F>::arguments) {
          const double value = family.*argument.value;
          const bool positive = argument.allowed == Allowed::positive;
          if (std::isfinite(value) && (!positive || value > 0)) continue;
          refuse(prior, std::string(argument.name) + " must be " + (positive ? "positive and " : "") +
                            "finite, got " + number_text(value));
        }
      },
      prior.family);
}

void check_bound(const Prior& prior, const char* name, std::optional<double> bound) {
  if (bound && !std::isfinite(*bound))
    refuse(prior,
           std::string(name) + " must be finite (leave it out for no bound), got " + number_text(*bound));
}

// There must be a double strictly inside, and the width must not overflow.
bool has_room(Support s) {
  return std::nextafter(s.lower, infinity) < s.upper &&
         (std::isinf(s.lower) || std::isinf(s.upper) || std::isfinite(s.upper - s.lower));
}

std::string interval_text(Support s) {
  return std::string("(") + number_text(s.lower) + ", " + number_text(s.upper) + ")";
}

void check_support(const Prior& prior) {
  if (const auto* uniform = std::get_if<Uniform>(&prior.family); uniform && !has_room(support(prior.family)))
    refuse(prior, "high must be above low = " + number_text(uniform->low) + " by a finite amount, got " +
                      number_text(uniform->high));
  if (prior.lower && prior.upper && !has_room({*prior.lower, *prior.upper}))
    refuse(prior, "upper must be above lower = " + number_text(*prior.lower) + " by a finite amount, got " +
                      number_text(*prior.upper));
  if (!has_room(support(prior)))
    refuse(prior, "the bounds must overlap the family's support " + interval_text(support(prior.family)));
}

Family effective_family(const Prior& prior) {
  if (std::holds_alternative<Flat>(prior.family) && prior.lower && prior.upper)
    return Uniform{*prior.lower, *prior.upper};
  return prior.family;
}

// Whichever tail is smaller at the lower bound has the digits.
bool lies_in_upper_half(const Family& family, Support s) {
  return s.lower > support(family).lower && mass_below(family, s.lower) > 0.5;
}

// The family's probability between the bounds.
double mass_inside(const Family& family, Support s) {
  const Support whole = support(family);
  const bool cut_below = s.lower > whole.lower;
  const bool cut_above = s.upper < whole.upper;
  if (!cut_below) return cut_above ? mass_below(family, s.upper) : 1;
  if (!cut_above) return mass_above(family, s.lower);
  const bool upper_half = lies_in_upper_half(family, s);
  const double larger = upper_half ? mass_above(family, s.lower) : mass_below(family, s.upper);
  const double smaller = upper_half ? mass_above(family, s.upper) : mass_below(family, s.lower);
  if (larger - smaller > 1e-3 * larger) return larger - smaller;
  // A narrow slice: the difference has lost its digits, the integral has not. It is taken over (-1, 1),
  // because the rule compares its error with the tolerance before it multiplies by the width.
  const double constant = log_normaliser(family);
  const double middle = s.lower + (s.upper - s.lower) / 2;
  const double half_width = (s.upper - s.lower) / 2;
  const auto density = [&](double z) {
    return half_width * std::exp(constant + log_kernel(family, place_at(middle + half_width * z)));
  };
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(density, -1.0, 1.0, 10, 1e-13);
}

double checked_log_constant(const Prior& prior, const Family& family, Support s) {
  if (!is_proper(prior)) return 0;
  const double mass = mass_inside(family, s);
  const double log_constant = log_normaliser(family) - std::log(mass);
  if (!(std::isfinite(mass) && std::isfinite(log_constant)))
    refuse(prior, "no double can hold its normalising constant; use less extreme arguments or bounds");
  return log_constant;
}

double strictly_inside(Support s, double theta) {
  return std::clamp(theta, std::nextafter(s.lower, infinity), std::nextafter(s.upper, -infinity));
}

}  // namespace

void validate(const Prior& prior) {
  static_cast<void>(PriorDensity(prior));
}

Support support(const Prior& prior) {
  const Support whole = support(prior.family);
  return {std::max(whole.lower, prior.lower.value_or(-infinity)),
          std::min(whole.upper, prior.upper.value_or(infinity))};
}

bool is_proper(const Prior& prior) {
  return !std::holds_alternative<Flat>(prior.family) || (prior.lower && prior.upper);
}

PriorDensity::PriorDensity(const Prior& prior)
    : family_(effective_family(prior)), support_(hunch::support(prior)), log_constant_(0) {
  check_arguments(prior);
  check_bound(prior, "lower", prior.lower);
  check_bound(prior, "upper", prior.upper);
  check_support(prior);
  log_constant_ = checked_log_constant(prior, family_, support_);
}

double PriorDensity::log_density(double theta) const {
  return support_.contains(theta) ? log_density(place_at(theta)) : -infinity;
}

double PriorDensity::log_density_derivative(double theta) const {
  if (!support_.contains(theta)) return 0;
  const Slope slope = log_density_slope(place_at(theta));
  double result = slope.regular;
  if (slope.over_theta != 0) result += slope.over_theta / theta;
  if (slope.over_one_minus_theta != 0) result += slope.over_one_minus_theta / (1 - theta);
  return result;
}

double PriorDensity::log_density(const Place& place) const {
  return log_constant_ + log_kernel(family_, place);
}

Slope PriorDensity::log_density_slope(const Place& place) const {
  return log_kernel_slope(family_, place);
}

double PriorDensity::quantile(double u) const {
  if (!(u > 0 && u < 1))
    throw InputError("quantile: the probability must lie in (0, 1), got " + number_text(u));
  if (std::holds_alternative<Flat>(family_))
    throw InputError("quantile: a flat prior without both bounds is improper and has none");
  const Support whole = hunch::support(family_);
  const double mass = mass_inside(family_, support_);
  if (lies_in_upper_half(family_, support_)) {
    const double above = mass_above(family_, support_.lower) - u * mass;
    return strictly_inside(support_, point_with_mass_above(family_, std::max(above, 0.0)));
  }
  const double cut = support_.lower > whole.lower ? mass_below(family_, support_.lower) : 0;
  return strictly_inside(support_, point_with_mass_below(family_, std::min(cut + u * mass, 1.0)));
}

double log_density(const Prior& prior, double theta) {
  return PriorDensity(prior).log_density(theta);
}

double log_density_derivative(const Prior& prior, double theta) {
  return PriorDensity(prior).log_density_derivative(theta);
}

double quantile(const Prior& prior, double u) {
  return PriorDensity(prior).quantile(u);
}

}  // namespace hunch
