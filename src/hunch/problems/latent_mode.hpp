// LatentMode: the most probable latent function of a Gaussian-process classifier, given its labels.
#pragma once

#include <optional>

#include "hunch/core/types.hpp"

namespace hunch {

// At the mode, f = K weights and weights = d log p(labels | f) / df, up to rounding.
struct LatentMode {
  Vector weights;
  Vector f;
  double log_likelihood;  // log p(labels | f)
  Vector root_curvature;  // square root of -d2 log p / df2, per point
  Matrix factor;          // lower triangle: Cholesky factor of B = I + W^1/2 K W^1/2, W the curvature
};

// The mode of log p(labels | f) - f K^-1 f / 2 for labels -1 or +1 and the logistic likelihood; K is read
// from its lower triangle. Newton's method from f = 0 (Rasmussen & Williams, 2006, section 3.4), with three
// departures: the unknown is the step in the weights, so that an approximate solve still ends at the exact
// mode; a Cholesky factor is kept while it still contracts the steps fast; a step that does not ascend is
// halved. A function of its arguments alone. Empty if B cannot be factored.
std::optional<LatentMode> find_latent_mode(const Matrix& covariance, const Vector& labels);

}  // namespace hunch
