// Covariance: how much the values and the gradients of a log-likelihood have to do with each other: a trend,
// and on it what is stationary.
#pragma once

#include <algorithm>
#include <array>

#include "hunch/surrogate/radial.hpp"

namespace hunch {

// k(z, z') = signal_variance * phi(s),  s = sum_j ((z_j - z'_j) / lengthscale_j)^2     what the trend misses
//          + constant + bowl q(z) q(z') + quadratic (4 z.z' + (z.z')^2),  q(z) = |z|^2 / 2
//          + sum over m = 1, 2 of tilted_m exp(m axis.(z + z')) (1 + z.z')^2
// The last terms are quadratics times an exponential of one coordinate: what a likelihood is in which a
// parameter is the logarithm of a scale, of noise or of other parameters. A trend's variance that is 0 means:
// no such term. Inputs of a trend are expected to be whitened.
struct Covariance {
  CovarianceFamily family = CovarianceFamily::squared_exponential;
  double signal_variance = 1;
  Vector lengthscales;
  double constant = 0;   // a level
  double bowl = 0;       // an isotropic curvature
  double quadratic = 0;  // slopes, and curvature in every direction
  Vector axis = {};      // times the rate; empty: nothing is tilted
  std::array<double, 2> tilted = {0, 0};

  bool has_trend() const { return constant > 0 || bowl > 0 || quadratic > 0 || is_tilted(); }
  bool is_tilted() const { return axis.size() > 0; }
  // exp(m axis.z), within what does not overflow.
  double tilt(int m, double along_axis) const;
};

// Throws InputError unless the signal variance and every lengthscale are positive and finite.
void validate(const Covariance& covariance);

// Where numbers are observed: a value at each point, and the gradient at the first `sloped` points. Numbers
// are ordered point by point, (f) or (f, g_1 .. g_d).
struct Sites {
  Matrix points;  // d x n
  Index sloped = 0;
  Matrix scaled_rows;   // points' over the lengthscales, with zero rows up to whole_lanes(n)
  Vector half_squares;  // |z|^2 / 2
  Matrix tilts;         // 2 x n: exp(m axis.z), if anything is tilted

  Sites(const Covariance& covariance, Matrix points, Index sloped);

  Index dimension() const { return points.rows(); }
  Index size() const { return points.cols(); }
  Index numbers() const { return size() + dimension() * sloped; }
  // Of point i's value among all numbers; its gradient follows.
  Index row(Index i) const { return i + dimension() * std::min(i, sloped); }
  Index numbers_at(Index i) const { return i < sloped ? 1 + dimension() : 1; }

  // As many of the new points as there are in all have gradients, or none.
  void append(const Covariance& covariance, const Matrix& more, Index more_sloped);

 private:
  void fill_tilts(const Covariance& covariance, Index first);
};

// Room to work in, so that nothing is allocated.
struct CovarianceWorkspace {
  Vector scaled;
  Vector phi;
  Vector d1;
  Vector d2;
  Vector products;
  Vector inverse_squares;
  Vector apart;
};

// Whether numbers can be data, or positions, once scaled: beyond 1e100 their squares would overflow.
bool is_usable(const Eigen::Ref<const Vector>& scaled);

// The covariances of all numbers at the sites (rows; zero from there up to whole_lanes) with f(z), and with
// its gradient if `out` has d + 1 columns. z must be usable.
void fill_cross_covariance(const Covariance& covariance, const Sites& sites, const Vector& z,
                           Eigen::Ref<Matrix> out, CovarianceWorkspace& workspace);

// Of (f, g) at x, or f alone if `numbers` is 1, with the same at z; swapping x and z transposes every bit.
Matrix covariance_between(const Covariance& covariance, const Vector& x, const Vector& z, Index numbers);

// Among all numbers at the sites, without noise.
Matrix covariance_matrix(const Covariance& covariance, const Sites& sites);

// Of f at z.
double prior_variance(const Covariance& covariance, const Vector& z);

// signal_variance * phi'(s) between all points.
Matrix correlation_slopes(const Covariance& covariance, const Sites& sites);

// Adds sum over a block of pull(r, c) * d cov(r, c) / d log l_j, for all j, to the gradient. The block is
// that of (f, l g) at one point with the same at another, u their difference over the lengthscales; `at` is
// phi there, `both` room to work in.
void add_block_gradient(const Radial& at, const Vector& u, const Matrix& pull, Vector& both,
                        Vector& gradient);

}  // namespace hunch
