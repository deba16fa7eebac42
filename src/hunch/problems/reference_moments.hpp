// ReferenceMoments: what the posterior of a problem with its default data is known to be.
#pragma once

#include <optional>
#include <string>

#include "hunch/core/types.hpp"

namespace hunch {

struct ReferenceMoments {
  Vector mean;  // of theta, by parameter
  Vector sd;
};

// Of the problem that make_problem(name) makes without options. Exact to rounding, but for T2, T4 and T5
// (long random walks: within 0.01 sd) and T3 (a shorter one: means within 0.05 sd, sds within 10 %). None
// for a name that is not a problem's.
std::optional<ReferenceMoments> reference_moments(const std::string& name);

}  // namespace hunch
