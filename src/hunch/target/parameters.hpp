// Parameters: the cheap half of the posterior: names, priors and the map from positions to theta.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/target/prior.hpp"
#include "hunch/target/transform.hpp"

namespace hunch {

struct Parameter {
  std::string name;
  Prior prior;
  std::optional<double> start = std::nullopt;  // in theta's space
};

// Positions are unconstrained; theta is what the model sees. Which transform a parameter gets follows from
// its prior's support: the real line (identity), a half line (log), an interval (logit).
class Parameters {
 public:
  explicit Parameters(std::vector<Parameter> parameters);  // throws InputError, naming the parameter

  Index dimension() const;
  const std::vector<Parameter>& list() const;

  Vector theta(const Vector& position) const;
  Vector position(const Vector& theta) const;  // throws InputError if theta is outside the support

  // log p(theta(position)) + log |d theta / d position|; minus infinity where the prior is zero. Free.
  double log_prior(const Vector& position) const;
  Vector log_prior_gradient(const Vector& position) const;
  void add_log_prior_gradient(const Vector& position, Vector& gradient) const;

  // The chain rule: a gradient with respect to theta becomes one with respect to the position.
  Vector to_position_gradient(const Vector& position, const Vector& theta_gradient) const;

 private:
  // What a parameter's prior becomes once checked.
  struct Coordinate {
    PriorDensity density;
    Transform transform;
  };

  void check_size(const Vector& vector) const;

  std::vector<Parameter> parameters_;
  std::vector<Coordinate> coordinates_;  // one per parameter, in the same order
};

// Where a proper prior's quantile lies, as a position; u in (0, 1).
double quantile_position(const Prior& prior, double u);

// A prior as seen from positions: its median, and half the distance between its 16 % and 84 % quantiles.
// An improper one says nothing: 0 and 1.
struct PriorSpread {
  double centre;
  double width;
};
PriorSpread prior_spread(const Prior& prior);

}  // namespace hunch
