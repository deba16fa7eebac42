// TrendEvidence: what values and gradients together say of a TrendProcess's hyperparameters.
#pragma once

#include "hunch/surrogate/trend_process.hpp"

namespace hunch {

// A log density and its gradient with respect to the logs of lengthscales, signal, quadratic and, if it is
// not 0, rough.
struct TrendLikelihood {
  double value;  // minus infinity where the matrix is not positive definite to working precision
  Vector gradient;
};

// The log marginal likelihood, up to a constant. O(N^3) for N numbers.
TrendLikelihood joint_evidence(const TrendCovariance& covariance, const TrendData& data);

// As leave_one_out_score of trend_fit.hpp.
double joint_leave_one_out(const TrendCovariance& covariance, const TrendData& data);

// Of the matrix that was factored, both triangles.
Matrix inverse_of(const Eigen::LLT<Matrix>& llt);

}  // namespace hunch
