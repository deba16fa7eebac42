// ShapeProblems: posteriors in closed form, each with one difficulty, whose moments follow exactly or from
// quadrature in one dimension.
#pragma once

#include <vector>

#include "hunch/problems/breadth_problem.hpp"

namespace hunch {

std::vector<FixedPriorProblem> shape_problems();

}  // namespace hunch
