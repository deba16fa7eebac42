// Problem: a named posterior with made-up data and a known truth, for studies, examples and tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

struct Problem {
  std::string name;   // "T1" .. "T5", "ar1-10", ...
  std::string title;  // "banana", "saturation curve", ...
  Parameters parameters;
  Vector truth;  // theta that made the data, or, where there are none, one in the middle of the density
  // The exact log-likelihood at theta, and its gradient with respect to theta when wanted. Pure and
  // thread-safe.
  std::function<Exact(const Vector& theta, Want want)> evaluate;
};

struct ProblemOptions {
  std::uint64_t seed = 1;        // of the data
  std::uint32_t simulation = 0;  // which data set: fresh data for each
  int t3_points = 200;           // points of the GP classifier (the paper: 1000), 10..5000
};

// "T1" .. "T5", or an alias ("banana", "saturation", "classifier", "sir", "logistic"), or one of the further
// problems ("ar1-10", "eight-schools", "normal-20", "bimodal", "cliff", "rough", "funnel", "spike",
// "rosenbrock-20"), which have fixed data; any case. Throws InputError that lists the known names.
Problem make_problem(const std::string& name, const ProblemOptions& options = {});

std::vector<std::string> problem_names();

}  // namespace hunch
