#include "hunch/surrogate/trend_fit.hpp"

#include <LBFGSB.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/surrogate/covariance.hpp"

namespace hunch {

namespace {

// Weak priors, all lognormal: a lengthscale is about the size of the typical set, what a quadratic misses is
// a fraction of a nat, and the trend is of the order of a nat per unit squared.
constexpr double lengthscale_deviation = 0.8;
constexpr double variance_deviation = 3;
double typical_lengthscale(Index dimension) {
  return 1.5 + std::sqrt(static_cast<double>(dimension));
}
constexpr double typical_signal = 0.1;
constexpr double typical_quadratic = 1;
constexpr double typical_rough = 0.01;

Vector logs(const TrendCovariance& c) {
  const Index d = c.lengthscales.size();
  Vector u(d + (c.rough > 0 ? 3 : 2));
  u.head(d) = c.lengthscales.array().log();
  u[d] = std::log(c.signal);
  u[d + 1] = std::log(c.quadratic);
  if (c.rough > 0) u[d + 2] = std::log(c.rough);
  return u;
}

TrendCovariance from_logs(TrendCovariance c, const Vector& u) {
  const Index d = c.lengthscales.size();
  c.lengthscales = u.head(d).array().exp();
  c.signal = std::exp(u[d]);
  c.quadratic = std::exp(u[d + 1]);
  if (u.size() > d + 2) c.rough = std::exp(u[d + 2]);
  return c;
}

// log density of the priors, up to a constant, and its gradient.
double log_prior(const Vector& u, Index d, Vector& gradient) {
  Vector centre(u.size());
  Vector deviation = Vector::Constant(u.size(), variance_deviation);
  centre.head(d).setConstant(std::log(typical_lengthscale(d)));
  deviation.head(d).setConstant(lengthscale_deviation);
  centre[d] = std::log(typical_signal);
  centre[d + 1] = std::log(typical_quadratic);
  if (u.size() > d + 2) centre[d + 2] = std::log(typical_rough);
  const Vector away = (u - centre).cwiseQuotient(deviation);
  gradient = -away.cwiseQuotient(deviation);
  return -0.5 * away.squaredNorm();
}

// K and its inverse's ingredients; the decaying parts are kept for the gradient.
struct Factored {
  Matrix smooth;  // SE correlations
  Matrix rough;   // Matern correlations, empty without
  Matrix rough_slope;
  Matrix trend;  // 4 z.z' + (z.z')^2
  Eigen::LLT<Matrix> llt;
};

Factored factor(const TrendCovariance& c, const TrendData& data) {
  Factored f;
  const Matrix& points = data.points;
  const Matrix scaled = c.lengthscales.cwiseInverse().asDiagonal() * points;
  Matrix s = -2.0 * (scaled.transpose() * scaled);
  const Vector norms = scaled.colwise().squaredNorm().transpose();
  s.colwise() += norms;
  s.rowwise() += norms.transpose();
  s = s.cwiseMax(0.0);
  const Matrix products = points.transpose() * points;
  f.trend = (products.array() * (4.0 + products.array())).matrix();
  const Vector q = 0.5 * points.colwise().squaredNorm().transpose();
  f.smooth = s;
  to_correlation(CovarianceFamily::squared_exponential, f.smooth.array());
  Matrix k = c.signal * f.smooth + c.quadratic * f.trend + c.bowl * q * q.transpose();
  k.array() += c.constant;
  if (c.rough > 0) {
    f.rough = s;
    f.rough_slope.resize(s.rows(), s.cols());
    to_correlation_and_slope(CovarianceFamily::matern52, f.rough.array(), f.rough_slope.array());
    k += c.rough * f.rough;
  }
  k.diagonal() += data.noise_variances;
  f.llt.compute(k);
  return f;
}

// sum_ik M_ik (z_ij - z_kj)^2 for each j, M symmetric.
Vector weighted_square_differences(const Matrix& m, const Matrix& points) {
  const Vector rows = m.rowwise().sum();
  const Matrix mz = m * points.transpose();
  Vector result(points.rows());
  for (Index j = 0; j < points.rows(); ++j)
    result[j] = 2 * (rows.dot(points.row(j).cwiseAbs2().transpose()) - points.row(j).dot(mz.col(j)));
  return result;
}

}  // namespace

TrendLikelihood trend_likelihood(const TrendCovariance& c, const TrendData& data) {
  const Index d = c.lengthscales.size();
  const Vector u = logs(c);
  Vector gradient;
  const double prior = log_prior(u, d, gradient);
  if (data.sloped() > 0) {
    TrendLikelihood joint = joint_evidence(c, data);
    if (std::isfinite(joint.value)) joint.gradient += gradient;
    joint.value += prior;
    return joint;
  }
  const Vector& values = data.values;
  const Factored f = factor(c, data);
  if (f.llt.info() != Eigen::Success) return {-infinity, Vector::Zero(u.size())};
  const Vector weights = f.llt.solve(values);
  const Vector diagonal = f.llt.matrixLLT().diagonal();
  const double value = prior - 0.5 * values.dot(weights) - diagonal.array().log().sum();
  if (!std::isfinite(value)) return {-infinity, Vector::Zero(u.size())};

  // d/dp of the log-likelihood is half the sum of (w w' - K^-1) * dK/dp.
  const Matrix sensitivity = weights * weights.transpose() - inverse_of(f.llt);
  // d SE / d log l_j = SE (z_ij - z_kj)^2 / l_j^2.
  Matrix m = c.signal * sensitivity.cwiseProduct(f.smooth);
  gradient[d] += 0.5 * m.sum();
  gradient[d + 1] += 0.5 * c.quadratic * sensitivity.cwiseProduct(f.trend).sum();
  if (c.rough > 0) {
    gradient[d + 2] += 0.5 * c.rough * sensitivity.cwiseProduct(f.rough).sum();
    m -= 2 * c.rough * sensitivity.cwiseProduct(f.rough_slope);
  }
  gradient.head(d) +=
      0.5 * weighted_square_differences(m, data.points).cwiseQuotient(c.lengthscales.cwiseAbs2());
  return {value, gradient};
}

double leave_one_out_score(const TrendCovariance& covariance, const TrendData& data) {
  if (data.sloped() > 0) return joint_leave_one_out(covariance, data);
  const Factored f = factor(covariance, data);
  if (f.llt.info() != Eigen::Success) return -infinity;
  const Vector weights = f.llt.solve(data.values);
  const Eigen::ArrayXd precisions = inverse_of(f.llt).diagonal().array();
  // The value left out is off by w_i / precision_i, with variance 1 / precision_i.
  return (0.5 * precisions.log() - 0.5 * weights.array().square() / precisions - 0.5 * log_two_pi).mean();
}

TrendFit fit_trend(const std::vector<TrendCovariance>& starts, Texture texture, const TrendData& data,
                   int most_iterations) {
  LBFGSpp::LBFGSBParam<double> parameters;
  parameters.max_iterations = most_iterations;
  parameters.epsilon = 1e-2;
  parameters.epsilon_rel = 0;
  parameters.past = 1;
  parameters.delta = 1e-5;
  parameters.max_linesearch = 20;
  TrendFit best{starts.front(), -infinity, -infinity};
  for (TrendCovariance start : starts) {
    if (texture == Texture::smooth) start.rough = 0;
    if (texture == Texture::rough && start.rough == 0) start.rough = typical_rough;
    const Index d = start.lengthscales.size();
    Vector u = logs(start);
    Vector lower = Vector::Constant(u.size(), std::log(1e-10));
    Vector upper = Vector::Constant(u.size(), std::log(1e6));
    lower.head(d).setConstant(std::log(0.3));
    upper.head(d).setConstant(std::log(30.0));
    u = u.cwiseMax(lower).cwiseMin(upper);
    const auto objective = [&](const Vector& at, Vector& gradient) {
      const TrendCovariance candidate = from_logs(start, at);
      const TrendLikelihood here = trend_likelihood(candidate, data);
      gradient = -here.gradient;
      if (!std::isfinite(here.value)) return 1e100;
      if (here.value > best.log_posterior) best = {candidate, here.value, -infinity};
      return -here.value;
    };
    double value = 0;
    try {
      LBFGSpp::LBFGSBSolver<double>(parameters).minimize(objective, u, value, lower, upper);
    } catch (const std::exception&) {
      // A failed line search ends this start; the best point seen is kept.
    }
  }
  best.leave_one_out = leave_one_out_score(best.covariance, data);
  return best;
}

}  // namespace hunch
