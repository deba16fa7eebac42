// JointFit: the covariance and the prior mean that explain values and gradients together best.
#pragma once

#include <optional>

#include "hunch/core/types.hpp"
#include "hunch/surrogate/fit.hpp"
#include "hunch/surrogate/joint_likelihood.hpp"

namespace hunch {

// A fit looks at no more numbers than this, n (d + 1) of them: the points with the highest values, at most
// FitOptions::most_points.
inline constexpr Index most_joint_observations = 480;

// Maximises the profiled joint likelihood times the prior on lengthscales, from typical lengthscales, from
// short ones, and from `previous` if given. Deterministic. Where data are many, the starts are compared on
// every other point, and the best is finished on all. Points that are not finite in any part are left out.
FitResult fit_joint(const JointData& data, CovarianceFamily family, const FitOptions& options = {},
                    const std::optional<Covariance>& previous = std::nullopt);

}  // namespace hunch
