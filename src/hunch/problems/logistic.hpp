// Logistic: regression of a yes-no answer on four covariates, the paper's T5.
#pragma once

#include "hunch/core/rng.hpp"
#include "hunch/core/types.hpp"

namespace hunch {

struct LogisticData {
  // Row i is (1, covariates) of point i, negated when its answer is yes: then each point's log-likelihood is
  // -log(1 + exp(row . beta)), whatever its answer.
  Matrix signed_design;
  Vector truth;  // the beta that made the data
};

LogisticData draw_logistic_data(Rng& rng);

// Log-likelihood at theta = beta_0 .. beta_4. Minus infinity, without gradient, where a coefficient is not
// finite or beyond 1e90 in size.
Exact logistic_log_likelihood(const LogisticData& data, const Vector& theta, Want want);

}  // namespace hunch
