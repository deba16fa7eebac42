// GaussianProcess: what is believed about the log-likelihood f and its gradient g everywhere, given values,
// or values and gradients, at some points.
#pragma once

#include "hunch/core/growing_cholesky.hpp"
#include "hunch/surrogate/data.hpp"
#include "hunch/surrogate/mean_function.hpp"

namespace hunch {

struct Conditioning {
  double relative_jitter = 1e-10;  // added to the variance of each number, times itself; 0 .. 1e-2
  // A point enters only if the variance of its value given the earlier points exceeds this, times the prior
  // variance: closer points would wreck the factor; 0 .. 1.
  double admission_floor = 1e-8;
};
// Of variances, in Cholesky factors of hundreds of numbers.
inline constexpr double rounding = 1e-12;
// Where each number has noise of its own. The floor is what rounding leaves of vague terms.
inline constexpr Conditioning with_noise{0, 1e-13};

enum class Admission { admitted, refused };

// A value: copy it to keep it, share it const between threads. Without noise it interpolates. The prior mean
// of f is a constant beside the covariance's trend, that of g zero.
class GaussianProcess {
 public:
  struct Prediction {
    double mean;
    double variance;
  };
  struct Joint {
    Vector means;
    Matrix covariance;
  };
  using Workspace = MeanFunction::Workspace;

  // The prior. Throws InputError for an invalid covariance or a prior mean that is not finite.
  GaussianProcess(Covariance covariance, Observes observes, double prior_mean = 0,
                  Conditioning conditioning = {});

  // Points are offered in order under the admission rule. Gradients are those of the first points.
  static GaussianProcess condition(Covariance covariance, const Data& data, double prior_mean = 0,
                                   Conditioning conditioning = {});

  // Of a process without noise, O(N^2) for N numbers: the gradient counts if gradients are observed. Refused:
  // not finite, or too close to what is known (see Conditioning); then nothing changes.
  Admission append(const Vector& point, double value, const Vector& gradient = {});
  // New numbers at the same points, in their order: O(N^2).
  void set_observations(const Vector& values, const Matrix& gradients = {});

  Index size() const { return sites_.size(); }
  Index dimension() const { return covariance_.lengthscales.size(); }
  const Covariance& covariance() const { return covariance_; }
  double prior_mean() const { return prior_mean_; }

  // Of f; never NaN, and 0 <= variance <= prior variance. Far from all points, or where z is not finite: the
  // prior. O(N^2).
  Prediction predict(const Vector& z) const;
  double variance(const Vector& z, Workspace& workspace) const;
  Vector variances(const Matrix& zs) const;  // of columns; several times cheaper than one by one
  Joint joint(const Matrix& zs) const;
  // (f(x), f(y)) jointly, or (f(x), g(x), f(y), g(y)) if gradients are observed; pair(y, x) is the same bits,
  // swapped. The hot path of two-stage steps.
  PairBelief pair(const Vector& x, const Vector& y) const;

  // The mean, made quick: O(N^2) once, then O(N) for each point.
  MeanFunction mean_function() const;

 private:
  Index admit(const Data& data, Index first, Index count);
  void extend_halfway();
  // Of the prior variance, that rounding leaves where numbers have noise. Without noise a process
  // interpolates.
  double least_share() const { return conditioning_.relative_jitter > 0 ? 0 : rounding; }
  bool fill(const Vector& z, Eigen::Ref<Matrix> cross, CovarianceWorkspace& workspace) const;
  Eigen::Vector2d affine_mean(const Eigen::Ref<const Vector>& solved, double of_constant) const;

  // K = k(numbers, numbers) + noise = L L', numbers ordered as in Sites, u is 1 for values, 0 for gradients.
  // With c = reference_, the first value, the columns of halfway_ are L^-1 (y - c u) and L^-1 u, which gain
  // entries when a point is added. With v = L^-1 k_z the mean at z for any constant prior mean m is
  //   m u_z + k_z' K^-1 (y - m u) = (v'h_1 + c v'h_2) + m (u_z - v'h_2) = offset + m * slope.
  // Subtracting c first keeps a large constant in the log-likelihood out of the ill-conditioned solve.
  Covariance covariance_;
  Observes observes_;
  double prior_mean_;
  Conditioning conditioning_;
  Sites sites_;
  Vector numbers_;  // y
  Vector noise_;    // variances, the jitter with them
  GrowingCholesky factor_;
  double reference_ = 0;
  Matrix halfway_;  // N x 2
};

}  // namespace hunch
