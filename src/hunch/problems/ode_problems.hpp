// OdeProblems: six ODE fits with box priors, as calibration users meet them.
//
// Data are made in code: the solution at the true parameters plus normal noise from a fixed address.
// Equations are solved by a Runge-Kutta method of fixed step, which is part of the model: an evaluation takes
// less than a millisecond, and a solution that overflows has zero likelihood.
#pragma once

#include <vector>

#include "hunch/problems/breadth_problem.hpp"

namespace hunch {

std::vector<FixedPriorProblem> ode_problems();

}  // namespace hunch
