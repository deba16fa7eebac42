// MarginalLikelihood: how probable the values are under a covariance, and which way better ones lie.
#pragma once

#include "hunch/core/types.hpp"
#include "hunch/surrogate/covariance.hpp"

namespace hunch {

// With the constant prior mean and the covariance given. Points are columns.
struct MarginalLikelihood {
  double value;     // minus infinity if the covariance matrix is not positive definite to working precision
  Vector gradient;  // with respect to log lengthscales, then log signal variance; zero if value is not finite
};
MarginalLikelihood marginal_likelihood(const Covariance& covariance, const Matrix& points,
                                       const Vector& values, double prior_mean,
                                       double relative_jitter = 1e-10);

// With the prior mean and the signal variance at their best for these lengthscales, in closed form.
struct ProfiledLikelihood {
  double value;
  Vector gradient;         // with respect to log lengthscales
  double prior_mean;       // generalised least squares
  double signal_variance;  // the residuals' mean square, whitened
};
ProfiledLikelihood profiled_likelihood(CovarianceFamily family, const Vector& lengthscales,
                                       const Matrix& points, const Vector& values,
                                       double relative_jitter = 1e-10);

}  // namespace hunch
