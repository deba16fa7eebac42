// Acquisition: what the surrogate's own uncertainty does to the posterior's means and sds, and which
// evaluations would reduce it most. Costs nothing but arithmetic.
#pragma once

#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

// Positions that stand for the posterior (columns), the quantities there whose means and sds are wanted,
// their weights (which sum to one), and the surrogate's covariance among them.
struct Cloud {
  Matrix positions;
  Matrix quantities;  // one row for each quantity, a column for each position
  Vector weights;
  Matrix covariance;
};

// How far each quantity's mean (first half, in its sds) and log sd (second half) may be off: twice the
// standard deviation that the surrogate's uncertainty, times `calibration`, gives it to first order, and the
// shift that marginalising the uncertainty would bring.
Vector moment_error_bounds(const Cloud& cloud, double calibration);

// The surrogate's rms deviation where a mean or an sd is decided, in nats: the largest over the cloud's own
// weights and these times the square of what each mean and log sd averages. `variances`: at the positions.
double deviation_where_it_counts(const Cloud& cloud, const Vector& variances);

struct Choice {
  std::vector<Index> positions;  // of the cloud
  Vector variances;              // that evaluations there would leave, everywhere
};

// Draws, which want a surrogate that is right wherever it counts; or their means and log sds alone, in which
// errors may cancel.
enum class Wanted { draws, moments };

// Which of the positions to evaluate: greedily, each reducing most the variance over the cloud, weighted as
// above; with moments wanted, half of the choice goes by the variances of these. Where the surrogate is
// unsure there may be more than it believes: weights are those that a rise by one deviation would give.
Choice choose_evaluations(const Cloud& cloud, Wanted wanted, Index count, double noise_variance);

}  // namespace hunch
