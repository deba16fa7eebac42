// Tails: the probability a prior family leaves below and above a point, and the point for a probability.
#pragma once

#include "hunch/target/prior.hpp"

namespace hunch {

// All four expect a valid, proper family and throw std::logic_error for a flat one. Both tails are offered
// because one minus a tail has no digits left where the tail is close to one.
double mass_below(const Family& family, double theta);
double mass_above(const Family& family, double theta);
double point_with_mass_below(const Family& family, double mass);
double point_with_mass_above(const Family& family, double mass);

}  // namespace hunch
