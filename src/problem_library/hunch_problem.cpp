#include "hunch_problem.h"

#include <cmath>
#include <exception>

#include "hunch/core/numeric.hpp"
#include "hunch/problems/prior_start.hpp"
#include "hunch/problems/problem.hpp"

struct hunch_problem {
  hunch::Problem problem;
  std::int64_t evaluations;
};

using hunch::Index;
using hunch::Vector;

hunch_problem* hunch_problem_open(const char* name) {
  try {
    return new hunch_problem{hunch::make_problem(name), 0};
  } catch (const std::exception&) {  // no exception may leave for C
    return nullptr;
  }
}

void hunch_problem_close(hunch_problem* problem) {
  delete problem;
}

int hunch_problem_dimension(const hunch_problem* problem) {
  return static_cast<int>(problem->problem.parameters.dimension());
}

double hunch_problem_log_posterior(hunch_problem* problem, const double* position, double* gradient) {
  const hunch::Parameters& parameters = problem->problem.parameters;
  const Index d = parameters.dimension();
  const Vector here = Eigen::Map<const Vector>(position, d);
  if (gradient) Eigen::Map<Vector>(gradient, d).setZero();
  if (!here.allFinite()) return -hunch::infinity;
  const double log_prior = parameters.log_prior(here);
  if (!(log_prior > -hunch::infinity)) return -hunch::infinity;
  ++problem->evaluations;
  const hunch::Exact exact = problem->problem.evaluate(
      parameters.theta(here), gradient ? hunch::Want::value_and_gradient : hunch::Want::value);
  if (gradient && exact.gradient)
    Eigen::Map<Vector>(gradient, d) =
        parameters.log_prior_gradient(here) + parameters.to_position_gradient(here, *exact.gradient);
  return log_prior + exact.log_likelihood;
}

std::int64_t hunch_problem_evaluations(const hunch_problem* problem) {
  return problem->evaluations;
}

void hunch_problem_prior_start(const hunch_problem* problem, uint64_t seed, uint32_t chain, uint64_t attempt,
                               double* position) {
  const hunch::Parameters& parameters = problem->problem.parameters;
  hunch::Rng rng({seed, chain, attempt, hunch::Purpose::start});
  Eigen::Map<Vector>(position, parameters.dimension()) = hunch::prior_start(parameters, rng);
}

void hunch_problem_prior_spread(const hunch_problem* problem, double* spread) {
  const hunch::Parameters& parameters = problem->problem.parameters;
  Eigen::Map<Vector>(spread, parameters.dimension()) = hunch::prior_spread(parameters);
}
