// GaussianProcess: what is believed about the log-likelihood everywhere, given its exact values at some
// points.
#pragma once

#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/surrogate/covariance.hpp"
#include "hunch/surrogate/growing_cholesky.hpp"

namespace hunch {

struct Conditioning {
  double relative_jitter = 1e-10;  // added to the covariance's diagonal, times the signal variance; 0 .. 1e-2
  // A point enters only if its variance given the earlier points exceeds this, times the signal variance:
  // closer points would wreck the factor; 0 .. 1.
  double admission_floor = 1e-8;
};

enum class Admission { admitted, refused };

// A value: copy it to keep it, share it const between threads. It interpolates without noise.
class GaussianProcess {
 public:
  struct Prediction {
    double mean;
    double variance;
  };
  struct Predictions {
    Vector means;
    Vector variances;
  };
  struct MeansAndGradients {
    Vector means;
    Matrix gradients;  // one column per position
  };

  // The prior. Throws InputError for an invalid covariance or a prior mean that is not finite.
  GaussianProcess(Covariance covariance, double prior_mean, Conditioning conditioning = {});

  // Points are columns, offered in order under the admission rule.
  static GaussianProcess condition(Covariance covariance, const Matrix& points, const Vector& values,
                                   double prior_mean, Conditioning conditioning = {});

  // O(n^2). Refused: not finite, or too close to what is known (see Conditioning); then nothing changes.
  Admission append(const Vector& point, double value);
  // New values at the same points (those of points(), in that order): O(n^2).
  void set_values(const Vector& values);
  // Another constant prior mean: O(1).
  void recentre(double prior_mean) { prior_mean_ = prior_mean; }

  Index size() const { return values_.size(); }
  Index dimension() const { return covariance_.lengthscales.size(); }
  const Covariance& covariance() const { return covariance_; }
  const Matrix& points() const { return points_; }
  const Vector& values() const { return values_; }
  double prior_mean() const { return prior_mean_; }
  // points().col(i) was the admitted()[i]-th point ever offered, counting from 0.
  const std::vector<Index>& admitted() const { return admitted_; }

  // Never NaN, and 0 <= variance <= signal variance. Far from all points, or where z is not finite: the
  // prior.
  Prediction predict(const Vector& z) const;    // O(n^2)
  Predictions predict(const Matrix& zs) const;  // columns; several times cheaper than one by one
  double mean(const Vector& z) const;           // O(n d)
  Vector mean_gradient(const Vector& z) const;  // O(n d); zero where z is not finite
  MeansAndGradients means_and_gradients(const Matrix& zs) const;
  // (f(x), f(y)) jointly; pair(y, x) is the same bits, swapped.
  PairBelief pair(const Vector& x, const Vector& y) const;

  // The largest |K a - (y - c)| seen at a point when it came in, relative to the values' spread: how far
  // rounding has carried the weights. Past 1e-6 an append factors everything afresh.
  double residual() const { return residual_; }

 private:
  void check_dimension(const char* what, Index got) const;
  Index admit(const Matrix& points, const Vector& values);  // how many were admitted
  void solve_weights();
  void refactor();
  double misfit(Index i) const;
  Matrix covariance_with_points(const Eigen::Ref<const Matrix>& scaled_columns) const;
  Eigen::Vector2d affine_mean(const Eigen::Ref<const Vector>& k) const;
  double remaining_variance(const Eigen::Ref<const Vector>& solved) const;
  Matrix scaled(const Eigen::Ref<const Matrix>& columns) const;

  // K = k(points, points) + relative_jitter * signal_variance * I = L L',  factor_ = L.
  // With c = reference_ (a value near the data's, fixed when the weights are solved for), the columns of
  // weights_ are  a = K^-1 (y - c 1)  and  b = K^-1 1,  and those of halfway_ are L^-1 of the same, which
  // gain one entry when a point is added. The mean at z for any constant prior mean m is
  //   m + k_z' K^-1 (y - m 1) = (k_z'a + c k_z'b) + m (1 - k_z'b) = offset + m * slope,
  // so that recentring costs nothing. Subtracting c first keeps a large constant in the log-likelihood out of
  // the ill-conditioned solve; it cancels exactly in the mean because both terms use the same k_z'b.
  //
  // Columns as long as n are padded to whole registers, so that each is aligned alike and no entry falls to
  // the scalar exponential, which rounds differently: a position's belief has the same bits in any column.
  Covariance covariance_;
  double prior_mean_;
  Conditioning conditioning_;
  Matrix points_;       // d x n
  Vector values_;       // n
  Matrix scaled_rows_;  // points' divided by the lengthscales, with zero rows up to whole_registers(n)
  GrowingCholesky factor_;
  double reference_ = 0;
  Matrix halfway_;  // n x 2
  Matrix weights_;  // n x 2
  std::vector<Index> admitted_;
  Index offered_ = 0;
  double residual_ = 0;
  Index size_when_factored_ = 0;
};

}  // namespace hunch
