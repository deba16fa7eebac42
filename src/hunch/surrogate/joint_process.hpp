// JointProcess: what is believed about the log-likelihood f and its gradient g, given exact values of both at
// some points.
#pragma once

#include "hunch/core/types.hpp"
#include "hunch/surrogate/covariance.hpp"
#include "hunch/surrogate/gaussian_process.hpp"
#include "hunch/surrogate/growing_cholesky.hpp"

namespace hunch {

// A value: copy it to keep it, share it const between threads. It interpolates values and gradients without
// noise. The prior mean of f is a constant, that of g zero. N = size() * (dimension() + 1) numbers are
// observed.
class JointProcess {
 public:
  using Prediction = GaussianProcess::Prediction;

  // The prior. Throws InputError for an invalid covariance or a prior mean that is not finite.
  JointProcess(Covariance covariance, double prior_mean, Conditioning conditioning = {});

  // Points and gradients are columns, offered in order under the admission rule. The same bits as appending
  // them.
  static JointProcess condition(Covariance covariance, const Matrix& points, const Vector& values,
                                const Matrix& gradients, double prior_mean, Conditioning conditioning = {});

  // O(N^2 d). Refused: not finite, or a value that the earlier points tell already (see Conditioning); then
  // nothing changes.
  Admission append(const Vector& point, double value, const Vector& gradient);
  // New data at the same points (those of points(), in that order): O(N^2).
  void set_observations(const Vector& values, const Matrix& gradients);
  // Another constant prior mean for f: O(N).
  void recentre(double prior_mean);

  Index size() const { return values_.size(); }
  Index dimension() const { return covariance_.lengthscales.size(); }
  const Covariance& covariance() const { return covariance_; }
  const Matrix& points() const { return points_; }
  const Vector& values() const { return values_; }
  const Matrix& gradients() const { return gradients_; }
  double prior_mean() const { return prior_mean_; }

  // Never NaN, and 0 <= variance <= prior variance. Far from all points, or where z is not finite: the prior.
  Prediction predict(const Vector& z) const;    // of f; O(N^2)
  double mean(const Vector& z) const;           // of f; O(N)
  Vector mean_gradient(const Vector& z) const;  // the gradient of mean, and the mean of g; O(N)
  // (f(x), g(x), f(y), g(y)) jointly; pair(y, x) is the same bits, swapped. O(N^2 d), the hot path.
  PairBelief pair(const Vector& x, const Vector& y) const;

 private:
  void check_sizes(const Matrix& points, const Vector& values, const Matrix& gradients) const;
  Admission admit(const Vector& point, double value, const Vector& gradient);
  void solve_weights();
  Matrix prior_block(const Vector& scaled_x, const Vector& scaled_y) const;
  PairBelief in_original_units(const Matrix& affine, const Matrix& scaled_covariance) const;

  // All in scaled units (see joint_blocks.hpp). Observations run point by point, y = (f_i, l g_i), and u is 1
  // for values, 0 for gradients. C = correlations + relative_jitter * prior variances on the diagonal = L L'.
  // With c = reference_, the first value, the columns of halfway_ are L^-1 (y - c u) and L^-1 u, those of
  // weights_ a = C^-1 (y - c u) and b = C^-1 u. The mean of (f, g) at z for any constant prior mean m is
  //   m u_z + k_z' C^-1 (y - m u) = (k_z'a + c k_z'b) + m (u_z - k_z'b) = offset + m * slope.
  Covariance covariance_;
  double prior_mean_;
  Conditioning conditioning_;
  Matrix points_;           // d x n
  Vector values_;           // n
  Matrix gradients_;        // d x n
  Matrix scaled_points_;    // d x n
  GrowingCholesky factor_;  // L
  double reference_ = 0;
  Matrix halfway_;       // N x 2
  Matrix weights_;       // N x 2
  Matrix mean_weights_;  // (d + 1) x n: C^-1 (y - m u), one column per point
};

}  // namespace hunch
