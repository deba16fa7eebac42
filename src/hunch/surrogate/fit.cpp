#include "hunch/surrogate/fit.hpp"

#include <LBFGSB.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "hunch/core/numeric.hpp"
#include "hunch/surrogate/marginal_likelihood.hpp"

namespace hunch {

namespace {

struct Sample {
  Matrix points;
  Vector values;
  Vector spreads;
};

// In the order in which they came; which ones depends on nothing but values and order.
std::vector<Index> chosen(const Matrix& points, const Vector& values, Index most) {
  std::vector<Index> indices;
  for (Index i = 0; i < values.size(); ++i) {
    if (std::isfinite(values(i)) && points.col(i).allFinite()) indices.push_back(i);
  }
  if (static_cast<Index>(indices.size()) > most) {
    const auto better = [&](Index a, Index b) {
      return values(a) != values(b) ? values(a) > values(b) : a > b;
    };
    std::nth_element(indices.begin(), indices.begin() + most, indices.end(), better);
    indices.resize(static_cast<std::size_t>(most));
    std::sort(indices.begin(), indices.end());
  }
  return indices;
}

// A dimension in which all points agree gets the spread 1.
Vector spreads_of(const Matrix& points) {
  Vector spreads = Vector::Ones(points.rows());
  if (points.cols() < 2) return spreads;
  for (Index k = 0; k < points.rows(); ++k) {
    const double mean = points.row(k).mean();
    const double spread = std::sqrt((points.row(k).array() - mean).square().mean());
    if (spread > 1e-12 * (1e-100 + std::abs(mean)) && std::isfinite(spread)) spreads(k) = spread;
  }
  return spreads;
}

// What L-BFGS-B minimises, over u = log(lengthscale / spread); it remembers the best it has seen, because the
// line search may fail after having passed through it.
class Objective {
 public:
  Objective(const Sample& sample, CovarianceFamily family, const FitOptions& options)
      : sample_(sample), family_(family), options_(options) {}

  double operator()(const Vector& u, Vector& gradient) {
    ++calls;
    const Vector lengthscales = u.array().exp() * sample_.spreads.array();
    const ProfiledLikelihood likelihood =
        profiled_likelihood(family_, lengthscales, sample_.points, sample_.values, options_.relative_jitter);
    const Vector away = (u.array() - std::log(options_.typical)) / options_.log_deviation;
    const double value = likelihood.value - 0.5 * away.squaredNorm();
    if (!std::isfinite(value) || !likelihood.gradient.allFinite()) {
      gradient.setZero(u.size());
      return 1e100;
    }
    gradient = away / options_.log_deviation - likelihood.gradient;
    if (value > best_value) {
      best_value = value;
      best = {family_, likelihood.signal_variance, lengthscales};
      best_prior_mean = likelihood.prior_mean;
    }
    return -value;
  }

  double best_value = -infinity;
  Covariance best;
  double best_prior_mean = 0;
  int calls = 0;

 private:
  const Sample& sample_;
  CovarianceFamily family_;
  const FitOptions& options_;
};

void climb(Objective& objective, Vector u, const FitOptions& options) {
  const Vector lower = Vector::Constant(u.size(), std::log(options.shortest));
  const Vector upper = Vector::Constant(u.size(), std::log(options.longest));
  LBFGSpp::LBFGSBParam<double> parameters;
  parameters.max_iterations = options.most_iterations;
  parameters.epsilon = 1e-3;
  parameters.epsilon_rel = 0;
  parameters.past = 1;
  parameters.delta = 1e-7;
  parameters.max_linesearch = 20;
  LBFGSpp::LBFGSBSolver<double> solver(parameters);
  double value = 0;
  try {
    solver.minimize(objective, u, value, lower, upper);
  } catch (const std::exception&) {
    // A failed line search ends this start; the objective holds the best point seen.
  }
}

FitResult defaulted(const Sample& sample, CovarianceFamily family, const FitOptions& options,
                    const std::optional<Covariance>& previous) {
  const double mean = sample.values.size() > 0 ? sample.values.mean() : 0.0;
  if (previous) return {*previous, mean, -infinity, FitOutcome::defaulted, 0};
  return {{family, 1.0, options.typical * sample.spreads}, mean, -infinity, FitOutcome::defaulted, 0};
}

}  // namespace

FitResult fit(const Matrix& points, const Vector& values, CovarianceFamily family, const FitOptions& options,
              const std::optional<Covariance>& previous) {
  const auto indices = chosen(points, values, options.most_points);
  Sample sample{points(Eigen::all, indices), values(indices), {}};
  sample.spreads = spreads_of(sample.points);
  const Index n = sample.values.size();
  if (n < 2) return defaulted(sample, family, options, previous);
  const double low = sample.values.minCoeff();
  const double high = sample.values.maxCoeff();
  if (!(high - low > 1e-12 * std::max(std::abs(high), std::abs(low)))) {
    return defaulted(sample, family, options, previous);
  }

  Objective objective(sample, family, options);
  if (previous && previous->lengthscales.size() == points.rows()) {
    const Vector u = (previous->lengthscales.array() / sample.spreads.array()).log();
    climb(objective, u.cwiseMax(std::log(options.shortest)).cwiseMin(std::log(options.longest)), options);
  }
  climb(objective, Vector::Constant(points.rows(), std::log(options.typical)), options);
  if (!std::isfinite(objective.best_value)) return defaulted(sample, family, options, previous);
  return {objective.best, std::clamp(objective.best_prior_mean, low, high), objective.best_value,
          FitOutcome::fitted, objective.calls};
}

}  // namespace hunch
