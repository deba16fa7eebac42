// BreadthProblem: a posterior of the breadth study before its prior is chosen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

// A function of theta, in the parameters' order: a log density or a log-likelihood, up to a constant. Minus
// infinity where it is zero or no number. Pure and thread-safe.
using LogFunction = std::function<double(const Vector& theta)>;

// A shape or an ODE fit: the likelihood and the prior are given, and the posterior follows.
struct FixedPriorProblem {
  std::string name;
  std::vector<Prior> priors;
  LogFunction log_likelihood;
  Vector middle;  // theta inside the bulk
};

// A posterior that is known as a whole: the likelihood follows from whichever prior is chosen.
struct FreePriorProblem {
  std::string name;
  Index dimension;
  LogFunction log_posterior;
};

}  // namespace hunch
