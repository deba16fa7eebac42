// MarginalLikelihood: how probable data are under a covariance, and which way better ones lie.
#pragma once

#include "hunch/surrogate/covariance.hpp"
#include "hunch/surrogate/data.hpp"

namespace hunch {

// A log density. The gradient is with respect to log lengthscales, log signal variance, unless that is 0 log
// quadratic variance and, if anything is tilted, the logs of the rate and of the two tilted variances. Where
// the matrix is not positive definite to working precision the value is minus infinity and the gradient zero.
struct MarginalLikelihood {
  double value;
  Vector gradient;
};

// What of a covariance matrix lengthscales and the signal variance do not change.
struct TrendTerms {
  Matrix quadratic;  // for a variance of one; empty without
  Matrix rest;       // constant, bowl and the noise; empty without

  TrendTerms(const Covariance& covariance, const Data& data);
};

// For this prior mean of f. The jitter is relative to the stationary variances. O(N^3) for N numbers.
MarginalLikelihood marginal_likelihood(const Covariance& covariance, const Data& data,
                                       const TrendTerms& terms, double prior_mean = 0,
                                       double relative_jitter = 0);

// The value alone, for a prior mean of zero and no jitter: a quarter of the cost.
double log_marginal_likelihood(const Covariance& covariance, const Data& data, const TrendTerms& terms);

// Of data without noise under a covariance without trend, with the prior mean and the signal variance at
// their best for these lengthscales, in closed form.
struct ProfiledLikelihood {
  double value;
  Vector gradient;         // with respect to log lengthscales
  double prior_mean;       // generalised least squares
  double signal_variance;  // the residuals' mean square, whitened
};
ProfiledLikelihood profiled_likelihood(CovarianceFamily family, const Vector& lengthscales, const Data& data,
                                       double relative_jitter);

// The mean log density of each value given all other points, in closed form. A point's own gradient is left
// out with its value: beside it the value would be no test.
double leave_one_out_score(const Covariance& covariance, const Data& data);

}  // namespace hunch
