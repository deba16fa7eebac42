// StudyProblems: posteriors beyond the paper's: in more dimensions, with two modes, or hard on a surrogate.
//
// None has data that a seed would change. Every prior is proper, so that chains can start from its draws.
#pragma once

#include "hunch/problems/problem.hpp"

namespace hunch {

Problem ar1_problem(const ProblemOptions& options);
Problem eight_schools_problem(const ProblemOptions& options);
Problem normal_problem(const ProblemOptions& options);
Problem bimodal_problem(const ProblemOptions& options);
Problem cliff_problem(const ProblemOptions& options);
Problem rough_problem(const ProblemOptions& options);
Problem funnel_problem(const ProblemOptions& options);
Problem spike_problem(const ProblemOptions& options);
Problem rosenbrock_problem(const ProblemOptions& options);

}  // namespace hunch
