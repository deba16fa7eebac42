// Design: what the surrogate's own uncertainty does to the posterior's means and deviations, and which
// evaluations would reduce it most. Costs nothing but arithmetic.
#pragma once

#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

// Positions that stand for the posterior (columns), the quantities there whose means and sds are wanted,
// their weights (which sum to one), the surrogate's covariance among them, and what its guard takes off
// there.
struct Cloud {
  Matrix positions;
  Matrix quantities;  // one row for each quantity, a column for each position
  Vector weights;
  Matrix covariance;
  Vector guards = {};  // nats; none if empty
};

// How far each quantity's mean (first half, in its sds) and log sd (second half) may be off: twice the
// standard deviation that the surrogate's uncertainty, times `calibration`, gives it to first order, and the
// shifts that marginalising the uncertainty and leaving out the guard would bring. Heavy tails are trusted
// less than the surrogate claims.
Vector moment_error_bounds(const Cloud& cloud, double calibration);

// The weighted mean square of the surrogate's standard deviations, as a root: nats.
double typical_deviation(const Cloud& cloud);

// A quantity's draws to one side of its mean, of whose variance much lies beyond three sds.
struct Tail {
  Index quantity;
  double side;  // 1: above the mean, -1: below
  double mean;  // of the quantity
  double sd;

  double at(double sds) const { return mean + side * sds * sd; }  // so far out
};

// The heaviest first. Of a normal each tail holds .015 of the variance, of an exponential distribution .31.
std::vector<Tail> heavy_tails(const Cloud& cloud);

// Which of the positions to evaluate: greedily, each reducing the weighted variance over all of them most.
// Weights are raised by exp(min(sd, 3)): where the surrogate is unsure there may be more than it believes.
std::vector<Index> most_telling(const Cloud& cloud, Index count, double noise_variance);

// The same for a surrogate that is sure of itself everywhere and is to know means and sds: each reducing
// most, as shares of what there was, that variance and the variances of all means and log sds.
std::vector<Index> most_needed(const Cloud& cloud, Index count, double noise_variance);

}  // namespace hunch
