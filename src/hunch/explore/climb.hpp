// Climb: from one evaluation to a maximum of the log posterior, by local models, until one of them predicts
// evaluations that it has not seen.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "hunch/core/numeric.hpp"
#include "hunch/core/types.hpp"
#include "hunch/explore/search_prior.hpp"
#include "hunch/surrogate/lesson.hpp"

namespace hunch {

// Evaluates the log-likelihood at all positions, in this order; may end the run by an exception.
using EvaluateBatch = std::function<std::vector<Lesson>(const std::vector<Vector>& positions)>;

double log_posterior(const Lesson& lesson);  // minus infinity also where it is not a number

// A maximum of the log posterior, in positions.
struct Optimum {
  Vector position;  // of the best evaluation
  double log_posterior;
  Vector centre;      // where the model has its maximum
  Matrix covariance;  // by the model's curvature there
};

struct Climbed {
  enum class Ending {
    normal,      // the model predicted random draws of its normal approximation
    not_normal,  // it is at a top, but the posterior there is not normal: the covariance is rough
    not_found,   // the evaluations were used up before a top was reached
    joined,      // it came to a place that is known
  };
  Ending ending;
  Optimum top;
  double still_promised;     // nats that the model expects to gain yet
  std::int64_t evaluations;  // of this climb
  // By how much the log posterior at each of the first points is above what the model says there, as a share
  // of its depth; infinite where the model does not lead from there to the top, or there is no model.
  std::vector<double> unexplained;
};

struct ClimbTask {
  std::size_t start;              // which of the evaluations
  std::int64_t most_evaluations;  // after which it gives up ...
  double worth_more = infinity;   // ... unless it is higher than this, and then after
  std::int64_t most_if_worth = 0;
  // Whether a position and its log posterior belong to a place that is known.
  std::function<bool(const Vector& position, double log_posterior)> is_known = {};
};

// It sees no evaluation that is higher than where it has come to. New ones are appended to `lessons`.
Climbed climb(const SearchPrior& prior, const ClimbTask& task, std::vector<Lesson>& lessons,
              const EvaluateBatch& evaluate, Index width, std::uint64_t seed);

}  // namespace hunch
