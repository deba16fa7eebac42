// The densities of src/problem_library as functions of a Stan program; nuts_peer.R compiles it, inside the
// model's namespace and after all of Stan. The library is R's to load; $HUNCH_PROBLEM names the problem.
#pragma once

#include "../src/problem_library/hunch_problem.h"

hunch_problem* the_problem() {
  static hunch_problem* const problem = hunch_problem_open(std::getenv("HUNCH_PROBLEM"));
  if (!problem) throw std::runtime_error("$HUNCH_PROBLEM is no built-in problem");
  return problem;
}

double hunch_log_posterior(const Eigen::VectorXd& x, std::ostream*) {
  return hunch_problem_log_posterior(the_problem(), x.data(), nullptr);
}

// Minus infinity with no slope where the density is zero: Stan ends the trajectory there and does not go.
stan::math::var hunch_log_posterior(const Eigen::Matrix<stan::math::var, Eigen::Dynamic, 1>& x,
                                    std::ostream*) {
  const Eigen::VectorXd here = stan::math::value_of(x);
  std::vector<double> gradient(here.size());
  const double value = hunch_problem_log_posterior(the_problem(), here.data(), gradient.data());
  return stan::math::precomputed_gradients(value, stan::math::to_array_1d(x), gradient);
}

double hunch_evaluations(std::ostream*) {
  return static_cast<double>(hunch_problem_evaluations(the_problem()));
}
