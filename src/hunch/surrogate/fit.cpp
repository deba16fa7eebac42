#include "hunch/surrogate/fit.hpp"

#include <LBFGSB.h>

#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

// A climb ends when no slope exceeds this, in nats per unit of a log hyperparameter.
constexpr double negligible_slope = 1e-2;
// Up to this many numbers a likelihood is so cheap that all starts may use all points.
constexpr Index cheap_numbers = 160;
// Of climbs, over typical lengthscales. From long lengthscales alone one may end where the jitter plays the
// part of noise, hundreds of nats below the top: without the shortest, one draw in seven of a rough line
// ended up to 80 nats low. With gradients a likelihood costs (d + 1)^3 times as much.
const std::vector<double> starts_for_values{1.0 / 12, 1.0 / 6, 1};
const std::vector<double> starts_for_gradients{1.0 / 6, 1};

struct Evaluated {
  MarginalLikelihood likelihood;
  Covariance covariance;
  double prior_mean;
};

Evaluated evaluate(const Covariance& start, const Vector& logs, const Data& data, const TrendTerms& terms,
                   double relative_jitter) {
  const Index d = start.lengthscales.size();
  Covariance c = start;
  c.lengthscales = logs.head(d).array().exp();
  if (logs.size() == d) {
    ProfiledLikelihood best = profiled_likelihood(c.family, c.lengthscales, data, relative_jitter);
    c.signal_variance = best.signal_variance;
    return {{best.value, std::move(best.gradient)}, std::move(c), best.prior_mean};
  }
  c.signal_variance = std::exp(logs[d]);
  c.quadratic = std::exp(logs[d + 1]);
  if (c.is_tilted()) {
    c.axis *= std::exp(logs[d + 2]) / c.axis.norm();
    c.tilted = {std::exp(logs[d + 3]), std::exp(logs[d + 4])};
  }
  return {marginal_likelihood(c, data, terms, 0, relative_jitter), c, 0};
}

Vector logs_of(const Covariance& c, Index count) {
  const Index d = c.lengthscales.size();
  Vector logs(count);
  logs.head(d) = c.lengthscales.array().log();
  if (count > d) logs.segment(d, 2) << std::log(c.signal_variance), std::log(c.quadratic);
  if (count > d + 2) logs.tail(3) << std::log(c.axis.norm()), std::log(c.tilted[0]), std::log(c.tilted[1]);
  return logs;
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

// The finite points; if there are more than `most`, those with the highest values, later ones first among
// equals. In the order in which they came.
std::vector<Index> highest_finite(const Data& data, Index most) {
  std::vector<Index> indices;
  for (Index i = 0; i < data.values.size(); ++i) {
    if (std::isfinite(data.values(i)) && data.points.col(i).allFinite() &&
        (data.sloped() == 0 || data.gradients.col(i).allFinite()))
      indices.push_back(i);
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

Data every_other(const Data& data) {
  std::vector<Index> half;
  for (Index i = 0; i < data.values.size(); i += 2) half.push_back(i);
  return subset(data, half);
}

// Whether the data differ by more than rounding from those of a constant.
bool is_informative(const Data& data) {
  if (data.values.size() < 2) return false;
  if (data.sloped() > 0 && data.gradients.cwiseAbs().maxCoeff() > 0) return true;
  const double low = data.values.minCoeff();
  const double high = data.values.maxCoeff();
  return high - low > 1e-12 * std::max(std::abs(high), std::abs(low));
}

}  // namespace

FitResult fit(const std::vector<Covariance>& starts, const HyperPriors& priors, const Data& data,
              const FitOptions& options) {
  LBFGSpp::LBFGSBParam<double> parameters;
  parameters.max_iterations = options.most_iterations;
  parameters.epsilon = negligible_slope;
  parameters.epsilon_rel = 0;
  parameters.past = 1;
  parameters.delta = options.negligible_gain;
  parameters.max_linesearch = 20;
  FitResult best{starts.front(), 0, -infinity, 0};
  for (const Covariance& start : starts) {
    const TrendTerms terms(start, data);
    const auto objective = [&](const Vector& logs, Vector& gradient) {
      ++best.likelihoods;
      const Evaluated here = evaluate(start, logs, data, terms, options.relative_jitter);
      const Vector away = (logs - priors.medians).cwiseQuotient(priors.deviations);
      const double value = here.likelihood.value - 0.5 * away.squaredNorm();
      if (!std::isfinite(value) || !here.likelihood.gradient.allFinite()) {
        gradient.setZero(logs.size());
        return 1e100;
      }
      gradient = away.cwiseQuotient(priors.deviations) - here.likelihood.gradient;
      if (value > best.log_posterior) best = {here.covariance, here.prior_mean, value, best.likelihoods};
      return -value;
    };
    Vector logs = logs_of(start, priors.medians.size()).cwiseMax(priors.lowest).cwiseMin(priors.highest);
    double value = 0;
    try {
      LBFGSpp::LBFGSBSolver<double>(parameters)
          .minimize(objective, logs, value, priors.lowest, priors.highest);
    } catch (const std::exception&) {
      // A failed line search ends this start; the best point seen is kept.
    }
  }
  return best;
}

FitResult fit_stationary(const Data& data, CovarianceFamily family, const std::optional<Covariance>& previous,
                         const StationaryFit& how) {
  const Index d = data.points.rows();
  const Index n = data.values.size();
  if (data.points.cols() != n || (data.sloped() > 0 && data.gradients.rows() != d) ||
      (data.sloped() != 0 && data.sloped() != n))
    throw InputError("fit: points and gradients must be of one size, with one column for each of the " +
                     std::to_string(n) + " values");
  const Index most = data.sloped() > 0
                         ? std::max<Index>(2, std::min(how.most_points, how.most_numbers / (d + 1)))
                         : how.most_points;
  const Data chosen = subset(data, highest_finite(data, most));
  const Vector spreads = spreads_of(chosen.points);
  FitResult result{previous.value_or(Covariance{family, 1, how.typical * spreads}),
                   chosen.values.size() > 0 ? chosen.values.mean() : 0, -infinity, 0};
  if (!is_informative(chosen)) return result;

  const Vector typical = (how.typical * spreads).array().log();
  const Vector lowest = (how.shortest * spreads).array().log();
  const Vector highest = (how.longest * spreads).array().log();
  const HyperPriors priors{typical, Vector::Constant(d, how.log_deviation), lowest, highest};
  std::vector<Covariance> starts;
  for (const double share : chosen.sloped() > 0 ? starts_for_gradients : starts_for_values)
    starts.push_back({family, 1, share * how.typical * spreads});
  if (previous && previous->lengthscales.size() == d) starts.push_back({family, 1, previous->lengthscales});

  int likelihoods = 0;
  if (chosen.numbers().size() > cheap_numbers) {
    const FitResult scout = fit(starts, priors, every_other(chosen), {});
    if (std::isfinite(scout.log_posterior)) starts = {scout.covariance};
    likelihoods = scout.likelihoods;
  }
  const FitResult found = fit(starts, priors, chosen, {});
  if (std::isfinite(found.log_posterior)) result = found;
  result.prior_mean = std::clamp(result.prior_mean, chosen.values.minCoeff(), chosen.values.maxCoeff());
  result.likelihoods = likelihoods + found.likelihoods;
  return result;
}

HyperPriors trend_priors(Index dimension, bool is_tilted) {
  struct Prior {
    double median, log_deviation, lowest, highest;
  };
  const Prior lengthscale{1.5 + std::sqrt(static_cast<double>(dimension)), 0.8, 0.3, 30};
  std::vector<Prior> all(static_cast<std::size_t>(dimension), lengthscale);
  all.insert(all.end(), {{0.1, 3, 1e-10, 1e6}, {1, 3, 1e-10, 1e6}});
  // Over the width of the posterior a scale changes by a factor of e or less.
  if (is_tilted) all.insert(all.end(), {{0.5, 1, 0.05, 4}, {0.01, 3, 1e-10, 1e6}, {0.01, 3, 1e-10, 1e6}});
  const auto n = static_cast<Index>(all.size());
  HyperPriors priors{Vector(n), Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const Prior& one = all[static_cast<std::size_t>(i)];
    priors.medians[i] = std::log(one.median);
    priors.deviations[i] = one.log_deviation;
    priors.lowest[i] = std::log(one.lowest);
    priors.highest[i] = std::log(one.highest);
  }
  return priors;
}

}  // namespace hunch
