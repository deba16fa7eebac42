#include "hunch/target/transform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Support range(const Unchanged&) {
  return {-infinity, infinity};
}
Support range(const LogAbove& t) {
  return {t.lower, infinity};
}
Support range(const LogBelow& t) {
  return {-infinity, t.upper};
}
Support range(const Logit& t) {
  return {t.lower, t.upper};
}

double rounded_theta(const Unchanged&, double p) {
  return p;
}
double rounded_theta(const LogAbove& t, double p) {
  return t.lower + std::exp(p);
}
double rounded_theta(const LogBelow& t, double p) {
  return t.upper - std::exp(-p);
}
double rounded_theta(const Logit& t, double p) {
  const double width = t.upper - t.lower;  // measured from the nearer end, so that neither end loses digits
  return p < 0 ? t.lower + width * logistic(p) : t.upper - width * logistic(-p);
}

double position_of(const Unchanged&, double x) {
  return x;
}
double position_of(const LogAbove& t, double x) {
  return std::log(x - t.lower);
}
double position_of(const LogBelow& t, double x) {
  return -std::log(t.upper - x);
}
double position_of(const Logit& t, double x) {
  return std::log(x - t.lower) - std::log(t.upper - x);
}

double log_derivative(const Unchanged&, double) {
  return 0;
}
double log_derivative(const LogAbove&, double p) {
  return p;
}
double log_derivative(const LogBelow&, double p) {
  return -p;
}
double log_derivative(const Logit& t, double p) {
  return std::log(t.upper - t.lower) - std::abs(p) - 2 * std::log1p(std::exp(-std::abs(p)));
}

double log_derivative_slope(const Unchanged&, double) {
  return 0;
}
double log_derivative_slope(const LogAbove&, double) {
  return 1;
}
double log_derivative_slope(const LogBelow&, double) {
  return -1;
}
double log_derivative_slope(const Logit&, double p) {
  return -std::tanh(p / 2);
}

// No family whose support is not bounded below reads either logarithm, and only one that ends at 1 the
// second.
Place place_of(const Unchanged&, double p) {
  return {p, unknown, unknown};
}
Place place_of(const LogBelow& t, double p) {
  return {rounded_theta(t, p), unknown, unknown};
}
Place place_of(const LogAbove& t, double p) {
  const double x = rounded_theta(t, p);
  return {x, t.lower == 0 ? p : std::log(x), unknown};
}
Place place_of(const Logit& t, double p) {
  const double x = rounded_theta(t, p);
  const double log_width = std::log(t.upper - t.lower);
  return {x, t.lower == 0 ? log_width - log1p_exp(-p) : std::log(x),
          t.upper == 1 ? log_width - log1p_exp(p) : std::log1p(-x)};
}

}  // namespace

Transform transform_onto(const Support& support) {
  const bool below = std::isfinite(support.lower);
  const bool above = std::isfinite(support.upper);
  if (below && above) return Logit{support.lower, support.upper};
  if (below) return LogAbove{support.lower};
  if (above) return LogBelow{support.upper};
  return Unchanged{};
}

double theta(const Transform& transform, double position) {
  return std::visit(
      [position](const auto& t) {
        const Support s = range(t);
        return std::clamp(rounded_theta(t, position), std::nextafter(s.lower, infinity),
                          std::nextafter(s.upper, -infinity));
      },
      transform);
}

double position(const Transform& transform, double theta) {
  return std::visit([theta](const auto& t) { return position_of(t, theta); }, transform);
}

double theta_derivative(const Transform& transform, double position) {
  return std::exp(log_jacobian(transform, position));
}

double log_jacobian(const Transform& transform, double position) {
  return std::visit([position](const auto& t) { return log_derivative(t, position); }, transform);
}

double log_jacobian_derivative(const Transform& transform, double position) {
  return std::visit([position](const auto& t) { return log_derivative_slope(t, position); }, transform);
}

Place place(const Transform& transform, double position) {
  return std::visit([position](const auto& t) { return place_of(t, position); }, transform);
}

}  // namespace hunch
