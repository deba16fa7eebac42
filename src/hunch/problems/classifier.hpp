// Classifier: the marginal likelihood of a Gaussian-process classifier's hyperparameters, the paper's T3.
#pragma once

#include "hunch/core/rng.hpp"
#include "hunch/core/types.hpp"

namespace hunch {

struct ClassifierData {
  Eigen::Matrix<double, Eigen::Dynamic, 2> points;
  Vector labels;  // -1 or +1
  Vector truth;   // the (log l1, log l2, log variance) that made the labels
};

// Points from N(0, I); lengthscales uniform in [0.1, 1], variance 5; labels by the logistic of a latent draw.
ClassifierData draw_classifier_data(Rng& rng, Index point_count);

// Laplace approximation of log p(labels | theta) at theta = (log l1, log l2, log variance) of a squared
// exponential covariance; its gradient follows the mode (Rasmussen & Williams, 2006, chapters 3 and 5).
// Cubic in the number of points. Minus infinity, without gradient, where an entry of theta is beyond 25 in
// size or not finite. Rounding is about 1e-16 times the variance times the number of points: invisible up to
// a log variance of about 12, the fourth digit at 25.
Exact classifier_log_likelihood(const ClassifierData& data, const Vector& theta, Want want);

}  // namespace hunch
