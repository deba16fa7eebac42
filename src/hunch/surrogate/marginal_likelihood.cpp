#include "hunch/surrogate/marginal_likelihood.hpp"

#include <cmath>
#include <numeric>

#include "hunch/core/cholesky_inverse.hpp"
#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

// Farther apart, in squared lengthscales, points have nothing to do with each other.
constexpr double largest_distance = 1e4;

// K = L L', which is written over in turn: matrices are of megabytes, and room for one costs as much as
// filling it.
struct Factored {
  Sites sites;
  Matrix stationary;  // the stationary term, the jitter with it
  Matrix matrix;      // L in its lower triangle
  double half_log_determinant;

  bool sound() const { return std::isfinite(half_log_determinant); }
  Matrix solve(Matrix right) const {
    matrix.triangularView<Eigen::Lower>().solveInPlace(right);
    matrix.triangularView<Eigen::Lower>().transpose().solveInPlace(right);
    return right;
  }
  void mirror() { matrix.triangularView<Eigen::StrictlyUpper>() = matrix.transpose(); }
  void invert() {
    invert_from_factor(matrix);
    mirror();
  }
  // (w w' / scale - K^-1) / 2: the derivative of the log-likelihood with respect to K, for w = K^-1
  // residuals.
  void to_sensitivity(const Vector& weights, double scale) {
    invert_from_factor(matrix);
    matrix *= -0.5;
    matrix.selfadjointView<Eigen::Lower>().rankUpdate(weights, 0.5 / scale);
    mirror();
  }
};

// One of the tilted terms alone, its axis times `stretch`.
Matrix tilted_term(const Covariance& c, const Sites& sites, int m, double stretch = 1) {
  Covariance alone{c.family, 0, c.lengthscales};
  alone.axis = stretch * c.axis;
  alone.tilted[static_cast<std::size_t>(m - 1)] = c.tilted[static_cast<std::size_t>(m - 1)];
  const Sites here(alone, sites.points, sites.sloped);
  if (here.sloped > 0) return covariance_matrix(alone, here);
  const Vector ends =
      std::sqrt(alone.tilted[static_cast<std::size_t>(m - 1)]) * here.tilts.row(m - 1).transpose();
  const Matrix bent = (1 + (here.points.transpose() * here.points).array()).square().matrix();
  return ends.asDiagonal() * bent * ends.asDiagonal();
}

Factored factor(const Covariance& c, const Data& data, const TrendTerms& terms, double relative_jitter) {
  Factored f{Sites(c, data.points, data.sloped()), {}, {}, infinity};
  f.stationary = covariance_matrix({c.family, c.signal_variance, c.lengthscales}, f.sites);
  f.stationary.diagonal() *= 1 + relative_jitter;
  f.matrix = f.stationary;
  if (terms.quadratic.size() > 0) f.matrix += c.quadratic * terms.quadratic;
  if (terms.rest.size() > 0) f.matrix += terms.rest;
  if (c.is_tilted()) f.matrix += tilted_term(c, f.sites, 1) + tilted_term(c, f.sites, 2);
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(f.matrix);
  const auto pivots = f.matrix.diagonal().array();
  if (llt.info() == Eigen::Success && (pivots > 0).all()) f.half_log_determinant = pivots.log().sum();
  return f;
}

// 1 for values and 0 for gradients: how the numbers change with a constant.
Vector of_constant(const Sites& sites) {
  Vector u = Vector::Zero(sites.numbers());
  for (Index i = 0; i < sites.size(); ++i) u[sites.row(i)] = 1;
  return u;
}

// Of the values alone: d k / d log l_j = -2 phi' (z_j - z'_j)^2 / l_j^2.
Vector gradient_by_values(const Covariance& c, const Sites& sites, const Matrix& sensitivity) {
  const Index n = sites.size();
  Matrix m = correlation_slopes(c, sites);
  for (Index k = 0; k < n; ++k) {
    for (Index i = 0; i < n; ++i) m(i, k) *= sensitivity(sites.row(i), sites.row(k));
  }
  const Matrix rows = sites.scaled_rows.topRows(n);
  const Vector sums = m.rowwise().sum();
  const Matrix moved = m * rows;
  Vector gradient(sites.dimension());
  for (Index j = 0; j < gradient.size(); ++j)
    gradient[j] = -4 * (sums.dot(rows.col(j).cwiseAbs2()) - rows.col(j).dot(moved.col(j)));
  return gradient;
}

// What gradients add. In units of the lengthscales they depend on these through distances alone, which is
// what add_block_gradient knows; back in units of z each is divided by its lengthscale once more.
Vector gradient_by_gradients(const Covariance& c, const Factored& f) {
  const Sites& sites = f.sites;
  const Matrix& sensitivity = f.matrix;
  const Index d = sites.dimension();
  const Vector inverse = c.lengthscales.cwiseInverse();
  Vector gradient = Vector::Zero(d);
  Vector u(d);
  Vector both(d);
  Matrix pull = Matrix::Zero(d + 1, d + 1);
  for (Index j = 0; j < sites.sloped; ++j) {
    for (Index i = j + 1; i < sites.size(); ++i) {
      u = (sites.scaled_rows.row(i) - sites.scaled_rows.row(j)).transpose();
      const double s = u.squaredNorm();
      if (!(s < largest_distance)) continue;
      const auto block = sensitivity.block(sites.row(i), sites.row(j), sites.numbers_at(i), d + 1);
      pull.setZero();
      pull.topRows(block.rows()) = c.signal_variance * block;
      pull.bottomRows(d).array().colwise() *= inverse.array();
      pull.rightCols(d).array().rowwise() *= inverse.transpose().array();
      pull(0, 0) = 0;  // counted with the values
      add_block_gradient(radial(c.family, s), u, pull, both, gradient);
    }
  }
  for (Index i = 0; i < sites.sloped; ++i) {
    const Index first = sites.row(i) + 1;
    gradient -= sensitivity.middleCols(first, d)
                    .cwiseProduct(f.stationary.middleCols(first, d))
                    .colwise()
                    .sum()
                    .transpose();
  }
  return 2 * gradient;  // each pair was met once
}

double log_density(const Factored& f, const Vector& residuals, const Vector& weights) {
  const double n = static_cast<double>(residuals.size());
  return -0.5 * (residuals.dot(weights) + n * log_two_pi) - f.half_log_determinant;
}

// The sum of the sensitivity times the derivatives of the covariance matrix.
Vector lengthscale_gradient(const Covariance& c, const Factored& f) {
  Vector gradient = gradient_by_values(c, f.sites, f.matrix);
  if (f.sites.sloped > 0) gradient += gradient_by_gradients(c, f);
  return gradient;
}

}  // namespace

// Lengthscales are of no account here.
TrendTerms::TrendTerms(const Covariance& c, const Data& data) {
  const Covariance level_and_bowl{c.family, 0, c.lengthscales, c.constant, c.bowl, 0};
  const Sites sites(c, data.points, data.sloped());
  if (c.quadratic > 0) quadratic = covariance_matrix({c.family, 0, c.lengthscales, 0, 0, 1}, sites);
  if (!level_and_bowl.has_trend() && data.noise_variances.size() == 0) return;
  rest = covariance_matrix(level_and_bowl, sites);
  rest.diagonal() += data.noise();
}

double log_marginal_likelihood(const Covariance& c, const Data& data, const TrendTerms& terms) {
  const Factored f = factor(c, data, terms, 0);
  if (!f.sound()) return -infinity;
  const double value = log_density(f, data.numbers(), f.solve(data.numbers()));
  return std::isfinite(value) ? value : -infinity;
}

MarginalLikelihood marginal_likelihood(const Covariance& c, const Data& data, const TrendTerms& terms,
                                       double prior_mean, double relative_jitter) {
  const Index d = c.lengthscales.size();
  const bool is_quadratic = terms.quadratic.size() > 0;
  Vector gradient = Vector::Zero(d + (c.is_tilted() ? 5 : is_quadratic ? 2 : 1));
  Factored f = factor(c, data, terms, relative_jitter);
  if (!f.sound()) return {-infinity, gradient};
  const Vector residuals = data.numbers() - prior_mean * of_constant(f.sites);
  const Vector weights = f.solve(residuals);
  const double value = log_density(f, residuals, weights);
  if (!std::isfinite(value)) return {-infinity, gradient};
  f.to_sensitivity(weights, 1);
  gradient.head(d) = lengthscale_gradient(c, f);
  gradient[d] = f.matrix.cwiseProduct(f.stationary).sum();
  if (is_quadratic) gradient[d + 1] = c.quadratic * f.matrix.cwiseProduct(terms.quadratic).sum();
  for (int m = 1; c.is_tilted() && m <= 2; ++m) {
    constexpr double h = 1e-4;
    const Matrix apart = tilted_term(c, f.sites, m, 1 + h) - tilted_term(c, f.sites, m, 1 - h);
    gradient[d + 2] += f.matrix.cwiseProduct(apart).sum() / (2 * h);
    gradient[d + 2 + m] = f.matrix.cwiseProduct(tilted_term(c, f.sites, m)).sum();
  }
  return {value, gradient};
}

// With C the matrix for a signal variance of one and r = y - m u, the log-likelihood is
//   -N/2 log(2 pi signal_variance) - r'C^-1 r / (2 signal_variance) - log|C| / 2.
ProfiledLikelihood profiled_likelihood(CovarianceFamily family, const Vector& lengthscales, const Data& data,
                                       double relative_jitter) {
  const Covariance unit{family, 1, lengthscales};
  const double reference = data.values.mean();  // keeps a large constant out of the ill-conditioned solve
  const ProfiledLikelihood unusable{-infinity, Vector::Zero(lengthscales.size()), reference, 1};
  Factored f = factor(unit, data, TrendTerms(unit, data), relative_jitter);
  if (!f.sound()) return unusable;
  Matrix right(f.sites.numbers(), 2);
  right.col(1) = of_constant(f.sites);
  right.col(0) = data.numbers() - reference * right.col(1);
  const Matrix solved = f.solve(right);
  const double shift = right.col(1).dot(solved.col(0)) / right.col(1).dot(solved.col(1));
  const Vector weights = solved.col(0) - shift * solved.col(1);
  const double n = static_cast<double>(right.rows());
  const double signal_variance = weights.dot(right.col(0) - shift * right.col(1)) / n;
  if (!(signal_variance > 0) || !std::isfinite(signal_variance)) return unusable;
  const double value = -0.5 * n * (log_two_pi + 1 + std::log(signal_variance)) - f.half_log_determinant;
  f.to_sensitivity(weights, signal_variance);
  return {value, lengthscale_gradient(unit, f), reference + shift, signal_variance};
}

double leave_one_out_score(const Covariance& covariance, const Data& data) {
  Factored f = factor(covariance, data, TrendTerms(covariance, data), 0);
  if (!f.sound()) return -infinity;
  const Vector weights = f.solve(data.numbers());
  f.invert();
  double sum = 0;
  for (Index i = 0; i < f.sites.size(); ++i) {
    // The numbers left out together are off by P^-1 w, with covariance P^-1, where P is their block of K^-1.
    const Index at = f.sites.row(i), count = f.sites.numbers_at(i);
    const Matrix block = f.matrix.block(at, at, count, count);
    const Vector first = Eigen::LLT<Matrix>(block).solve(Vector::Unit(count, 0));
    const double miss = first.dot(weights.segment(at, count));
    sum -= 0.5 * (log_two_pi + std::log(first[0]) + miss * miss / first[0]);
  }
  return sum / static_cast<double>(f.sites.size());
}

}  // namespace hunch
