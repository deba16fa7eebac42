// Find: from points of the prior to the bulk of the posterior: climbs by local models until one of them
// predicts what it has not seen, from as many starts as it takes to reach the best optimum twice.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/explore/prior_points.hpp"
#include "hunch/surrogate/lesson.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

// Evaluates the log-likelihood at all positions, in this order; may end the run by an exception.
using EvaluateBatch = std::function<std::vector<Lesson>(const std::vector<Vector>& positions)>;

struct FindOptions {
  Index width = 4;        // evaluations that are asked for together, >= 1
  Index most_climbs = 5;  // from different starts, >= 1
};

// A maximum of the log posterior, seen from positions.
struct Optimum {
  Vector position;  // of the best evaluation
  double log_posterior;
  Vector centre;      // where the model has its top
  Matrix covariance;  // by the model's curvature there
};

struct Climbed {
  enum class Ending {
    normal,      // the model predicted random draws of its normal approximation
    not_normal,  // it is at a top, but the posterior there is not normal: the covariance is rough
    not_found,   // the evaluations were used up before a top was reached
  };
  Ending ending;
  Optimum top;
  double still_promised;     // nats that the model expects to gain yet
  std::int64_t evaluations;  // of this climb, the first points not counted
  // By how much the log posterior at each of the first points is above what the last model predicts there, as
  // a share of its depth.
  std::vector<double> unexplained;
};

// One climb from the best of `first`. New evaluations are appended to `lessons`. It gives up after
// `most_evaluations`, or, as not found, once `ends_at` says of a position and its log posterior that this
// place is known.
Climbed climb(const Parameters& parameters, const PriorBox& box, const std::vector<Lesson>& first,
              std::vector<Lesson>& lessons, const EvaluateBatch& evaluate, const FindOptions& options,
              std::int64_t most_evaluations, std::uint64_t seed,
              const std::function<bool(const Vector& position, double log_posterior)>& ends_at = {});

struct Found {
  Climbed best;
  std::vector<Climbed> others = {};  // other climbs that reached a top of their own
  Index climbs = 1;
  bool confirmed = true;  // the best top was reached from two starts, or explains the values at all of them
};

// From the evaluations so far, some of which must be possible, to the bulk.
Found find(const Parameters& parameters, const PriorBox& box, std::vector<Lesson>& lessons,
           const EvaluateBatch& evaluate, const FindOptions& options, std::uint64_t seed);

}  // namespace hunch
