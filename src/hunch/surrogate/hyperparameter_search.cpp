#include "hunch/surrogate/hyperparameter_search.hpp"

#include <LBFGSB.h>

#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

// A climb ends when no slope exceeds this, in nats per unit of log lengthscale, ...
constexpr double negligible_slope = 1e-2;
// ... or when a step gains less than this share of the log-likelihood: the prior is far vaguer than that.
constexpr double negligible_gain = 1e-6;

// A dimension in which all points agree gets the spread 1.
Vector spreads_of(const Matrix& points) {
  Vector spreads = Vector::Ones(points.rows());
  if (points.cols() < 2) return spreads;
  for (Index k = 0; k < points.rows(); ++k) {
    const double mean = points.row(k).mean();
    const double spread = std::sqrt((points.row(k).array() - mean).square().mean());
    if (std::isfinite(spread) && spread > 1e-12 * (1e-100 + std::abs(mean))) spreads(k) = spread;
  }
  return spreads;
}

// What L-BFGS-B minimises, over u = log(lengthscale / spread). It remembers the best it has seen, because the
// line search may fail after having passed through it.
class Objective {
 public:
  Objective(const LikelihoodOfLengthscales& likelihood, const Vector& spreads, const FitOptions& options)
      : likelihood_(likelihood), spreads_(spreads), options_(options) {}

  double operator()(const Vector& u, Vector& gradient) {
    ++calls;
    const ProfiledLikelihood here = likelihood_(u.array().exp() * spreads_.array());
    const Vector away = (u.array() - std::log(options_.typical)) / options_.log_deviation;
    const double value = here.value - 0.5 * away.squaredNorm();
    if (!std::isfinite(value) || !here.gradient.allFinite()) {
      gradient.setZero(u.size());
      return 1e100;
    }
    gradient = away / options_.log_deviation - here.gradient;
    if (value > best_value) {
      best_value = value;
      best_u = u;
      best = here;
    }
    return -value;
  }

  double best_value = -infinity;
  Vector best_u;
  ProfiledLikelihood best{-infinity, Vector(), 0, 1};
  int calls = 0;

 private:
  const LikelihoodOfLengthscales& likelihood_;
  const Vector& spreads_;
  const FitOptions& options_;
};

// From each start in turn; the objective holds what was found.
void climb(Objective& objective, const std::vector<Vector>& starts, const FitOptions& options) {
  LBFGSpp::LBFGSBParam<double> parameters;
  parameters.max_iterations = options.most_iterations;
  parameters.epsilon = negligible_slope;
  parameters.epsilon_rel = 0;
  parameters.past = 1;
  parameters.delta = negligible_gain;
  parameters.max_linesearch = 20;
  for (Vector u : starts) {
    const Vector lower = Vector::Constant(u.size(), std::log(options.shortest));
    const Vector upper = Vector::Constant(u.size(), std::log(options.longest));
    u = u.cwiseMax(lower).cwiseMin(upper);
    LBFGSpp::LBFGSBSolver<double> solver(parameters);
    double value = 0;
    try {
      solver.minimize(objective, u, value, lower, upper);
    } catch (const std::exception&) {
      // A failed line search ends this start; the objective holds the best point seen.
    }
  }
}

std::vector<Vector> starts_for(const Evidence& evidence, const Vector& spreads, const FitOptions& options,
                               const std::optional<Covariance>& previous) {
  std::vector<Vector> starts;
  for (const double share : evidence.starts) {
    starts.push_back(Vector::Constant(spreads.size(), std::log(share * options.typical)));
  }
  if (previous && previous->lengthscales.size() == spreads.size()) {
    starts.push_back((previous->lengthscales.array() / spreads.array()).log());
  }
  return starts;
}

}  // namespace

std::vector<Index> highest_finite(const Vector& values, const Matrix& columns, Index most) {
  std::vector<Index> indices;
  for (Index i = 0; i < values.size(); ++i) {
    if (std::isfinite(values(i)) && columns.col(i).allFinite()) indices.push_back(i);
  }
  if (static_cast<Index>(indices.size()) <= most) return indices;
  const auto better = [&](Index a, Index b) {
    return values(a) != values(b) ? values(a) > values(b) : a > b;
  };
  std::nth_element(indices.begin(), indices.begin() + most, indices.end(), better);
  indices.resize(static_cast<std::size_t>(most));
  std::sort(indices.begin(), indices.end());
  return indices;
}

std::vector<Index> every_other(const std::vector<Index>& indices) {
  std::vector<Index> half;
  for (std::size_t i = 0; i < indices.size(); i += 2) half.push_back(indices[i]);
  return half;
}

bool vary(const Vector& values) {
  if (values.size() < 2) return false;
  const double low = values.minCoeff();
  const double high = values.maxCoeff();
  return high - low > 1e-12 * std::max(std::abs(high), std::abs(low));
}

FitResult defaulted(const Evidence& evidence, CovarianceFamily family, const FitOptions& options,
                    const std::optional<Covariance>& previous) {
  const Covariance typical{family, 1.0, options.typical * spreads_of(evidence.points)};
  const double mean = evidence.values.size() > 0 ? evidence.values.mean() : 0.0;
  return {previous.value_or(typical), mean, -infinity, FitOutcome::defaulted, 0};
}

FitResult search(const Evidence& evidence, CovarianceFamily family, const FitOptions& options,
                 const std::optional<Covariance>& previous) {
  const Vector spreads = spreads_of(evidence.points);
  std::vector<Vector> starts = starts_for(evidence, spreads, options, previous);
  FitResult result = defaulted(evidence, family, options, previous);
  if (evidence.part) {
    Objective scout(*evidence.part, spreads, options);
    climb(scout, starts, options);
    if (std::isfinite(scout.best_value)) starts = {scout.best_u};
    result.likelihoods += scout.calls;
  }
  Objective objective(evidence.whole, spreads, options);
  climb(objective, starts, options);
  result.likelihoods += objective.calls;
  if (!std::isfinite(objective.best_value)) return result;
  result.covariance = {family, objective.best.signal_variance,
                       objective.best_u.array().exp() * spreads.array()};
  result.prior_mean =
      std::clamp(objective.best.prior_mean, evidence.values.minCoeff(), evidence.values.maxCoeff());
  result.log_marginal_likelihood = objective.best_value;
  result.outcome = FitOutcome::fitted;
  return result;
}

}  // namespace hunch
