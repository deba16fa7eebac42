// Moments: the mean and covariance of points, each a column.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

struct Moments {
  Vector mean;
  Matrix covariance;  // positive definite: widened a little where the points lie in a plane
};
Moments moments(const Matrix& columns);
Moments moments(const Matrix& columns, const Vector& weights);  // weights sum to one

}  // namespace hunch
