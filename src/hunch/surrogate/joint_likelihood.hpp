// JointLikelihood: how probable values and gradients are together under a covariance, and which way better
// ones lie.
#pragma once

#include "hunch/core/types.hpp"
#include "hunch/surrogate/covariance.hpp"
#include "hunch/surrogate/marginal_likelihood.hpp"

namespace hunch {

// f and its gradient at some points, which are columns.
struct JointData {
  Matrix points;
  Vector values;
  Matrix gradients;
};

// With the prior mean of f and the signal variance at their best for these lengthscales, in closed form;
// minus infinity and a zero gradient if the covariance matrix has no Cholesky factor. O(N^3) with N = n (d +
// 1): one factor and one inverse.
ProfiledLikelihood joint_likelihood(CovarianceFamily family, const Vector& lengthscales,
                                    const JointData& data, double relative_jitter = 1e-10);

}  // namespace hunch
