// PosteriordbProblems: posteriors of posteriordb that are no linear regressions: time series, mixtures,
// Gaussian processes, a hierarchical model.
//
// theta is on the scale on which Stan samples: logs of positive parameters, logits of probabilities.
#pragma once

#include <vector>

#include "hunch/problems/breadth_problem.hpp"

namespace hunch {

std::vector<FreePriorProblem> posteriordb_problems();

}  // namespace hunch
