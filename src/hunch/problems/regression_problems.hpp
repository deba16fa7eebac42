// RegressionProblems: linear regressions of posteriordb, with raw covariates as their authors give them.
//
// theta has the coefficients, an intercept first if there is one, and the log of the residual sd; densities
// are those of the Stan models on that scale.
#pragma once

#include <vector>

#include "hunch/problems/breadth_problem.hpp"

namespace hunch {

std::vector<FreePriorProblem> regression_problems();

}  // namespace hunch
