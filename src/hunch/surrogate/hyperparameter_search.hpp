// HyperparameterSearch: the climb to the lengthscales that explain data best, whatever was observed.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/surrogate/covariance.hpp"
#include "hunch/surrogate/fit.hpp"
#include "hunch/surrogate/marginal_likelihood.hpp"

namespace hunch {

// Up to this many observed numbers a likelihood is so cheap that all starts may use all points.
inline constexpr Index cheap_observations = 160;

// How probable some data are for given lengthscales, with everything else at its best.
using LikelihoodOfLengthscales = std::function<ProfiledLikelihood(const Vector& lengthscales)>;

// What was observed at `points`, which are columns, as far as the search needs to know.
struct Evidence {
  Matrix points;
  Vector values;
  LikelihoodOfLengthscales whole;
  std::vector<double> starts;                    // lengthscales to climb from, over the typical ones
  std::optional<LikelihoodOfLengthscales> part;  // of every other point: given where the whole is not cheap
};

// The points where neither the value nor anything in the column is other than finite; if there are more than
// `most`, those with the highest values, later ones first among equals. In the order in which they came.
std::vector<Index> highest_finite(const Vector& values, const Matrix& columns, Index most);

// The first, the third, and so on.
std::vector<Index> every_other(const std::vector<Index>& indices);

// Whether the values differ by more than rounding.
bool vary(const Vector& values);

// The answer where the data say nothing: `previous`, or else typical lengthscales.
FitResult defaulted(const Evidence& evidence, CovarianceFamily family, const FitOptions& options,
                    const std::optional<Covariance>& previous);

// Maximises the likelihood times the prior on lengthscales: from each of the starts, and from `previous` if
// given. Short starts must be among them: from long lengthscales a climb may end where the jitter plays the
// part of noise, hundreds of nats below the top. Given a part, the starts are compared on it, and the best is
// finished on the whole.
FitResult search(const Evidence& evidence, CovarianceFamily family, const FitOptions& options,
                 const std::optional<Covariance>& previous);

}  // namespace hunch
