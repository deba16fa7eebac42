// Place: a theta together with the logarithms that rounding would spoil next to an end of its support.
#pragma once

namespace hunch {

// A logarithm is NaN where its argument is negative: no family with such a support reads it.
struct Place {
  double theta;
  double log_theta;
  double log_one_minus_theta;
};

// d log density / d theta = regular + over_theta / theta + over_one_minus_theta / (1 - theta), kept apart so
// that the chain rule can cancel the singular terms against d theta / d position without overflow.
struct Slope {
  double regular = 0;
  double over_theta = 0;
  double over_one_minus_theta = 0;
};

}  // namespace hunch
