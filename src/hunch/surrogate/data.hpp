// Data: what a Gaussian process is conditioned on.
#pragma once

#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

enum class Observes { values, values_and_gradients };

// Values at points, which are columns, and gradients at the first so many of them as there are columns of
// gradients. Each value may have noise of its own, because far tails are believed less.
struct Data {
  Matrix points;
  Vector values;
  Matrix gradients = {};
  Vector noise_variances = {};  // one for each value, or none: then there is no noise
  double gradient_noise_variance = 0;

  Index sloped() const { return gradients.cols(); }
  // Point by point, (f) or (f, g_1 .. g_d).
  Vector numbers() const;
  Vector noise() const;  // variances, in that order
};

// The numbers at some points, in order; those with gradients must come first.
Data subset(const Data& data, const std::vector<Index>& indices);

}  // namespace hunch
