// Transform: the map between a position on the whole line and a theta inside its support.
#pragma once

#include <variant>

#include "hunch/target/place.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

// theta = position
struct Unchanged {};
// theta = lower + exp(position)
struct LogAbove {
  double lower;
};
// theta = upper - exp(-position)
struct LogBelow {
  double upper;
};
// theta = lower + (upper - lower) / (1 + exp(-position))
struct Logit {
  double lower, upper;
};

// Each increases with the position.
using Transform = std::variant<Unchanged, LogAbove, LogBelow, Logit>;

Transform transform_onto(const Support& support);

// Strictly inside the support and finite for every finite position: what rounds onto an end is moved to the
// nearest double inside.
double theta(const Transform& transform, double position);
double position(const Transform& transform, double theta);  // theta strictly inside the support

double theta_derivative(const Transform& transform, double position);  // d theta / d position
double log_jacobian(const Transform& transform, double position);      // its logarithm, without underflow
double log_jacobian_derivative(const Transform& transform, double position);

// theta before it is moved inside, and its logarithms from the position, which has not been rounded.
Place place(const Transform& transform, double position);

}  // namespace hunch
