#include "hunch/target/parameters.hpp"

#include <cmath>
#include <set>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/target/number_text.hpp"

namespace hunch {
namespace {

[[noreturn]] void refuse(const Parameter& parameter, const std::string& problem) {
  throw InputError("parameter \"" + parameter.name + "\": " + problem);
}

std::string outside_text(double value, const Support& support) {
  return "must lie strictly inside the prior's support (" + number_text(support.lower) + ", " +
         number_text(support.upper) + "), got " + number_text(value);
}

void check_names(const std::vector<Parameter>& parameters) {
  if (parameters.empty()) throw InputError("parameters: at least one is needed, got none");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name.empty())
      throw InputError("parameter number " + std::to_string(i + 1) + ": the name must not be empty");
    if (!seen.insert(parameters[i].name).second) refuse(parameters[i], "the name is used twice");
  }
}

PriorDensity checked_density(const Parameter& parameter) {
  try {
    return PriorDensity(parameter.prior);
  } catch (const InputError& error) {
    refuse(parameter, std::string("prior ") + error.what());
  }
}

void check_start(const Parameter& parameter, const Support& support) {
  if (parameter.start && !support.contains(*parameter.start))
    refuse(parameter, "start " + outside_text(*parameter.start, support));
}

// One coordinate's share; a place beyond what doubles hold counts as zero density.
double log_density_at(const PriorDensity& density, const Transform& transform, double position) {
  const double value = density.log_density(place(transform, position)) + log_jacobian(transform, position);
  return std::isnan(value) ? -infinity : value;
}

double log_density_slope_at(const PriorDensity& density, const Transform& transform, double position) {
  if (!std::isfinite(log_density_at(density, transform, position))) return 0;
  const Place at = place(transform, position);
  const Slope slope = density.log_density_slope(at);
  const double log_scale = log_jacobian(transform, position);
  double result = log_jacobian_derivative(transform, position);
  if (slope.regular != 0) result += slope.regular * std::exp(log_scale);
  if (slope.over_theta != 0) result += slope.over_theta * std::exp(log_scale - at.log_theta);
  if (slope.over_one_minus_theta != 0)
    result += slope.over_one_minus_theta * std::exp(log_scale - at.log_one_minus_theta);
  return result;
}

}  // namespace

Parameters::Parameters(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  check_names(parameters_);
  for (const Parameter& parameter : parameters_) {
    PriorDensity density = checked_density(parameter);
    check_start(parameter, density.support());
    const Transform transform = transform_onto(density.support());
    coordinates_.push_back({std::move(density), transform});
  }
}

Index Parameters::dimension() const {
  return static_cast<Index>(parameters_.size());
}

const std::vector<Parameter>& Parameters::list() const {
  return parameters_;
}

void Parameters::check_size(const Vector& vector) const {
  if (vector.size() != dimension())
    throw InputError("parameters: expected a vector of size " + std::to_string(dimension()) + ", got " +
                     std::to_string(vector.size()));
}

Vector Parameters::theta(const Vector& position) const {
  check_size(position);
  Vector result(dimension());
  for (Index i = 0; i < dimension(); ++i) result[i] = hunch::theta(coordinates_[i].transform, position[i]);
  return result;
}

Vector Parameters::position(const Vector& theta) const {
  check_size(theta);
  Vector result(dimension());
  for (Index i = 0; i < dimension(); ++i) {
    const auto& [density, transform] = coordinates_[i];
    if (!density.support().contains(theta[i]))
      refuse(parameters_[i], "theta " + outside_text(theta[i], density.support()));
    result[i] = hunch::position(transform, theta[i]);
  }
  return result;
}

double Parameters::log_prior(const Vector& position) const {
  check_size(position);
  double sum = 0;
  for (Index i = 0; i < dimension(); ++i)
    sum += log_density_at(coordinates_[i].density, coordinates_[i].transform, position[i]);
  return sum;
}

Vector Parameters::log_prior_gradient(const Vector& position) const {
  Vector result = Vector::Zero(dimension());
  add_log_prior_gradient(position, result);
  return result;
}

void Parameters::add_log_prior_gradient(const Vector& position, Vector& gradient) const {
  check_size(position);
  for (Index i = 0; i < dimension(); ++i)
    gradient[i] += log_density_slope_at(coordinates_[i].density, coordinates_[i].transform, position[i]);
}

Vector Parameters::to_position_gradient(const Vector& position, const Vector& theta_gradient) const {
  check_size(position);
  check_size(theta_gradient);
  Vector result(dimension());
  for (Index i = 0; i < dimension(); ++i)
    result[i] = theta_gradient[i] * theta_derivative(coordinates_[i].transform, position[i]);
  return result;
}

double quantile_position(const Prior& prior, double u) {
  return position(transform_onto(support(prior)), quantile(prior, u));
}

PriorSpread prior_spread(const Prior& prior) {
  if (!is_proper(prior)) return {0, 1};
  return {quantile_position(prior, 0.5),
          0.5 * (quantile_position(prior, 0.84) - quantile_position(prior, 0.16))};
}

}  // namespace hunch
