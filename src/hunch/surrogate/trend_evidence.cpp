#include "hunch/surrogate/trend_evidence.hpp"

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/surrogate/cholesky_inverse.hpp"
#include "hunch/surrogate/joint_blocks.hpp"

namespace hunch {

namespace {

Eigen::LLT<Matrix> factor(const TrendCovariance& covariance, const TrendData& data) {
  Matrix k = trend_covariance_matrix(covariance, data.points, data.sloped());
  k.diagonal() += data.all_noise_variances();
  return Eigen::LLT<Matrix>(k);
}

// The covariance matrix is a sum of terms, each proportional to one variance.
enum class Term { signal, quadratic, rough };
Matrix term(const TrendCovariance& c, Term which, const TrendData& data) {
  const TrendCovariance alone{.lengthscales = c.lengthscales,
                              .signal = which == Term::signal ? c.signal : 0,
                              .rough = which == Term::rough ? c.rough : 0,
                              .quadratic = which == Term::quadratic ? c.quadratic : 0,
                              .constant = 0,
                              .bowl = 0};
  return trend_covariance_matrix(alone, data.points, data.sloped());
}

// Where a number of point i is among all: its value (0), or its gradient's coordinate 1 .. d.
struct Numbering {
  Index points;
  Index sloped;

  Index of(Index i, Index which) const { return which == 0 ? i : points + (which - 1) * sloped + i; }
  Index count(Index i, Index dimension) const { return i < sloped ? 1 + dimension : 1; }
};

Radial decaying(const TrendCovariance& c, double s) {
  const Radial smooth = radial(CovarianceFamily::squared_exponential, s);
  const Radial rough = c.rough > 0 ? radial(CovarianceFamily::matern52, s) : Radial{0, 0, 0, 0};
  return {c.signal * smooth.phi + c.rough * rough.phi, c.signal * smooth.d1 + c.rough * rough.d1,
          c.signal * smooth.d2 + c.rough * rough.d2, c.signal * smooth.d3 + c.rough * rough.d3};
}

// The sum of `sensitivity` times the derivative of the decaying terms with respect to log l_j, for all j.
// Gradients in units of the lengthscales depend on these through distances alone, which is what
// add_block_gradient knows; back in units of z each is divided by its lengthscale once more.
Vector lengthscale_gradient(const TrendCovariance& c, const TrendData& data, const Matrix& sensitivity,
                            const Matrix& decaying_terms) {
  const Index d = data.points.rows();
  const Numbering at{data.points.cols(), data.sloped()};
  const Matrix scaled = c.lengthscales.cwiseInverse().asDiagonal() * data.points;
  Vector gradient = Vector::Zero(d);
  Vector u(d);
  Vector scratch(d);
  Matrix pull(d + 1, d + 1);
  for (Index j = 0; j < at.points; ++j) {
    for (Index i = j + 1; i < at.points; ++i) {
      u = scaled.col(i) - scaled.col(j);
      pull.setZero();
      for (Index b = 0; b < at.count(j, d); ++b)
        for (Index a = 0; a < at.count(i, d); ++a)
          pull(a, b) = sensitivity(at.of(i, a), at.of(j, b)) / (a > 0 ? c.lengthscales[a - 1] : 1) /
                       (b > 0 ? c.lengthscales[b - 1] : 1);
      add_block_gradient(decaying(c, u.squaredNorm()), u, pull, scratch, gradient);
    }
  }
  gradient *= 2;  // each pair was met once
  for (Index j = 0; j < d; ++j) {
    const Index first = at.of(0, j + 1);
    gradient[j] -= 2 * sensitivity.middleRows(first, at.sloped)
                           .cwiseProduct(decaying_terms.middleRows(first, at.sloped))
                           .sum();
  }
  return gradient;
}

}  // namespace

Matrix inverse_of(const Eigen::LLT<Matrix>& llt) {
  Matrix inverse = llt.matrixL();
  invert_from_factor(inverse);
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
  return inverse;
}

TrendLikelihood joint_evidence(const TrendCovariance& c, const TrendData& data) {
  const Index d = c.lengthscales.size();
  Vector gradient = Vector::Zero(d + (c.rough > 0 ? 3 : 2));
  const Eigen::LLT<Matrix> llt = factor(c, data);
  if (llt.info() != Eigen::Success) return {-infinity, gradient};
  const Vector numbers = data.numbers();
  const Vector weights = llt.solve(numbers);
  const double value = -0.5 * numbers.dot(weights) - llt.matrixLLT().diagonal().array().log().sum();
  if (!std::isfinite(value)) return {-infinity, gradient};

  // d/dp of the log-likelihood is half the sum of (w w' - K^-1) * dK/dp.
  const Matrix sensitivity = weights * weights.transpose() - inverse_of(llt);
  Matrix decays = term(c, Term::signal, data);
  gradient[d] = sensitivity.cwiseProduct(decays).sum();
  gradient[d + 1] = sensitivity.cwiseProduct(term(c, Term::quadratic, data)).sum();
  if (c.rough > 0) {
    const Matrix rough = term(c, Term::rough, data);
    gradient[d + 2] = sensitivity.cwiseProduct(rough).sum();
    decays += rough;
  }
  gradient.head(d) = lengthscale_gradient(c, data, sensitivity, decays);
  return {value, 0.5 * gradient};
}

double joint_leave_one_out(const TrendCovariance& covariance, const TrendData& data) {
  const Eigen::LLT<Matrix> llt = factor(covariance, data);
  if (llt.info() != Eigen::Success) return -infinity;
  const Vector weights = llt.solve(data.numbers());
  const Matrix precision = inverse_of(llt);
  const Index d = data.points.rows();
  const Numbering at{data.points.cols(), data.sloped()};
  double sum = 0;
  for (Index i = 0; i < at.points; ++i) {
    // The numbers left out together are off by P^-1 w, with covariance P^-1, where P is their block of K^-1.
    const Index n = at.count(i, d);
    Matrix block(n, n);
    Vector own(n);
    for (Index a = 0; a < n; ++a) {
      own[a] = weights[at.of(i, a)];
      for (Index b = 0; b < n; ++b) block(a, b) = precision(at.of(i, a), at.of(i, b));
    }
    const Vector first = Eigen::LLT<Matrix>(block).solve(Vector::Unit(n, 0));
    const double miss = first.dot(own);
    sum -= 0.5 * (log_two_pi + std::log(first[0]) + miss * miss / first[0]);
  }
  return sum / static_cast<double>(at.points);
}

}  // namespace hunch
