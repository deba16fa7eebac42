#include "hunch/surrogate/joint_fit.hpp"

#include <LBFGSB.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

// Below this many observations a likelihood is so cheap that all starts may use all points.
constexpr Index cheap_observations = 160;
// Starts end when a step gains less than this share of the log-likelihood: the prior is far vaguer than that.
constexpr double negligible_gain = 1e-6;

void check_sizes(const JointData& data) {
  const Index n = data.values.size();
  const Index d = data.points.rows();
  if (data.points.cols() == n && data.gradients.rows() == d && data.gradients.cols() == n) return;
  throw InputError("joint fit: points and gradients must be of one size, with one column for each of the " +
                   std::to_string(n) + " values");
}

JointData subset(const JointData& data, const std::vector<Index>& indices) {
  return {data.points(Eigen::all, indices), data.values(indices), data.gradients(Eigen::all, indices)};
}

// The highest values, later ones first among equals, in the order in which they came.
std::vector<Index> chosen(const JointData& data, Index most) {
  std::vector<Index> indices;
  for (Index i = 0; i < data.values.size(); ++i) {
    const bool finite = data.points.col(i).allFinite() && data.gradients.col(i).allFinite();
    if (finite && std::isfinite(data.values(i))) indices.push_back(i);
  }
  if (static_cast<Index>(indices.size()) <= most) return indices;
  const auto better = [&](Index a, Index b) {
    return data.values(a) != data.values(b) ? data.values(a) > data.values(b) : a > b;
  };
  std::nth_element(indices.begin(), indices.begin() + most, indices.end(), better);
  indices.resize(static_cast<std::size_t>(most));
  std::sort(indices.begin(), indices.end());
  return indices;
}

JointData every_other(const JointData& data) {
  std::vector<Index> indices;
  for (Index i = 0; i < data.values.size(); i += 2) indices.push_back(i);
  return subset(data, indices);
}

bool is_informative(const JointData& data) {
  if (data.values.size() < 2) return false;
  return data.values.maxCoeff() > data.values.minCoeff() || data.gradients.cwiseAbs().maxCoeff() > 0;
}

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
  Objective(const JointData& data, const Vector& spreads, CovarianceFamily family, const FitOptions& options)
      : data_(data), spreads_(spreads), family_(family), options_(options) {}

  double operator()(const Vector& u, Vector& gradient) {
    ++calls;
    const Vector lengthscales = u.array().exp() * spreads_.array();
    const ProfiledLikelihood likelihood =
        joint_likelihood(family_, lengthscales, data_, options_.relative_jitter);
    const Vector away = (u.array() - std::log(options_.typical)) / options_.log_deviation;
    const double value = likelihood.value - 0.5 * away.squaredNorm();
    if (!std::isfinite(value) || !likelihood.gradient.allFinite()) {
      gradient.setZero(u.size());
      return 1e100;
    }
    gradient = away / options_.log_deviation - likelihood.gradient;
    if (value > best_value) {
      best_value = value;
      best_u = u;
      best = likelihood;
    }
    return -value;
  }

  double best_value = -infinity;
  Vector best_u;
  ProfiledLikelihood best{-infinity, Vector(), 0, 1};
  int calls = 0;

 private:
  const JointData& data_;
  const Vector& spreads_;
  CovarianceFamily family_;
  const FitOptions& options_;
};

void climb(Objective& objective, Vector u, const FitOptions& options) {
  const Vector lower = Vector::Constant(u.size(), std::log(options.shortest));
  const Vector upper = Vector::Constant(u.size(), std::log(options.longest));
  LBFGSpp::LBFGSBParam<double> parameters;
  parameters.max_iterations = options.most_iterations;
  parameters.epsilon = 1e-2;
  parameters.epsilon_rel = 0;
  parameters.past = 1;
  parameters.delta = negligible_gain;
  parameters.max_linesearch = 20;
  LBFGSpp::LBFGSBSolver<double> solver(parameters);
  double value = 0;
  try {
    solver.minimize(objective, u, value, lower, upper);
  } catch (const std::exception&) {
    // A failed line search ends this start; the objective holds the best point seen.
  }
}

// Short lengthscales are always tried: from long ones the climb may end where the jitter plays the part of
// noise.
std::vector<Vector> starts(const Vector& spreads, const FitOptions& options,
                           const std::optional<Covariance>& previous) {
  const Vector typical = Vector::Constant(spreads.size(), std::log(options.typical));
  std::vector<Vector> all{typical.array() - std::log(6.0), typical};
  if (previous && previous->lengthscales.size() == spreads.size()) {
    all.push_back((previous->lengthscales.array() / spreads.array()).log());
  }
  for (Vector& u : all) u = u.cwiseMax(std::log(options.shortest)).cwiseMin(std::log(options.longest));
  return all;
}

}  // namespace

FitResult fit_joint(const JointData& data, CovarianceFamily family, const FitOptions& options,
                    const std::optional<Covariance>& previous) {
  check_sizes(data);
  const Index d = data.points.rows();
  const Index most = std::max<Index>(2, std::min(options.most_points, most_joint_observations / (d + 1)));
  const JointData sample = subset(data, chosen(data, most));
  const Vector spreads = spreads_of(sample.points);
  const double mean = sample.values.size() > 0 ? sample.values.mean() : 0.0;
  const Covariance typical{family, 1.0, options.typical * spreads};
  FitResult result{previous.value_or(typical), mean, -infinity, FitOutcome::defaulted, 0};
  if (!is_informative(sample)) return result;

  std::vector<Vector> from = starts(spreads, options, previous);
  if (sample.values.size() * (d + 1) > cheap_observations) {
    const JointData fewer = every_other(sample);
    Objective scout(fewer, spreads, family, options);
    for (const Vector& u : from) climb(scout, u, options);
    if (std::isfinite(scout.best_value)) from = {scout.best_u};
    result.likelihoods += scout.calls;
  }
  Objective objective(sample, spreads, family, options);
  for (const Vector& u : from) climb(objective, u, options);
  result.likelihoods += objective.calls;
  if (!std::isfinite(objective.best_value)) return result;
  result.covariance = {family, objective.best.signal_variance,
                       objective.best_u.array().exp() * spreads.array()};
  result.prior_mean =
      std::clamp(objective.best.prior_mean, sample.values.minCoeff(), sample.values.maxCoeff());
  result.log_marginal_likelihood = objective.best_value;
  result.outcome = FitOutcome::fitted;
  return result;
}

}  // namespace hunch
