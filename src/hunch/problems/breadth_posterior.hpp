// BreadthPosterior: the posteriors on which the default method is judged for breadth: problem times prior.
#pragma once

#include <string>
#include <vector>

#include "hunch/problems/breadth_problem.hpp"
#include "hunch/problems/breadth_reference.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

// Methods are tuned on one half and reported on the other.
enum class Half { tune, report };

enum class PriorWidth {
  fixed,  // part of the problem
  wide,   // normal(0, 10^k), the smallest k >= 1 for which three sds reach the posterior
  easy,   // normal, 10 posterior sds wide, its mean 5 posterior sds from the posterior's
};

struct BreadthPosterior {
  std::string name;     // the problem's; with "-wide" or "-easy" where the prior is free
  std::string problem;  // whose breadth_reference it has
  std::string group;    // "ode", "shape", "regression" or "posteriordb"
  PriorWidth prior;
  Half half;
  Parameters parameters;  // u1, u2, ...
  Vector middle;          // theta inside the bulk
  LogFunction log_likelihood;
  LogFunction log_posterior;  // log-likelihood and log prior density of theta, up to a constant
};

// All of them, made once. Within each group problems alternate between the halves, the first in `tune`; both
// priors of a problem are in the same half.
const std::vector<BreadthPosterior>& breadth_posteriors();

// Throws InputError if there is none of that name.
const BreadthPosterior& breadth_posterior(const std::string& name);

std::string name_of(Half half);         // "tune", "report"
std::string name_of(PriorWidth prior);  // "-", "wide", "easy"

}  // namespace hunch
