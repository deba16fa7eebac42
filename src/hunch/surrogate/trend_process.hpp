// TrendProcess: a Gaussian process made for log-likelihoods: a quadratic trend, and on it what a quadratic
// misses.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

// k(z, z') = signal SE(z, z') + rough Matern52(z, z')                       what a quadratic misses
//          + constant + bowl q(z) q(z') + quadratic (4 z.z' + (z.z')^2)     the trend,   q(z) = |z|^2 / 2
// `constant` and `bowl` are vague: a level and an isotropic curvature that the data alone decide. Inputs z
// are expected to be whitened, so that the posterior is of size about one in every direction.
struct TrendCovariance {
  Vector lengthscales;
  double signal = 0.1;
  double rough = 0;  // 0: none
  double quadratic = 1;
  double constant = 1e4;
  double bowl = 1e4;
};

// A value. Observations carry noise, each its own: far tails are believed less. Points are columns.
class TrendProcess {
 public:
  TrendProcess(TrendCovariance covariance, Matrix points, Vector values, Vector noise_variances);

  Index size() const { return values_.size(); }
  const TrendCovariance& covariance() const { return covariance_; }
  const Matrix& points() const { return points_; }

  // What predictions of the mean need besides the process: room to work in, so that nothing is allocated.
  struct Workspace {
    Vector seen;  // for those who look at a point through a lens first
    Vector scaled;
    Vector distances;
    Vector slopes;
  };
  double mean(const Vector& z, Workspace& workspace) const;  // O(n d)
  double mean_and_gradient(const Vector& z, Vector& gradient, Workspace& workspace) const;

  Vector means(const Matrix& zs) const;
  // Never negative.
  Vector variances(const Matrix& zs) const;
  struct Joint {
    Vector means;
    Matrix covariance;
  };
  Joint joint(const Matrix& zs) const;

  // The curvature of the fitted trend: its Hessian, symmetric.
  const Matrix& trend_curvature() const { return curvature_; }
  // The part of it that `bowl` carries: negative where the trend goes down on all sides.
  double bowl_curvature() const { return bowl_curvature_; }

 private:
  Matrix cross(const Matrix& zs) const;  // n x m
  Vector prior_variances(const Matrix& zs) const;

  TrendCovariance covariance_;
  Matrix points_;       // d x n
  Matrix scaled_rows_;  // n x d, divided by the lengthscales
  Vector values_;
  Matrix lower_;  // L of K + noise = L L'
  Vector weights_;
  // The trend's share of the mean, summed over the points: level + slope.z + z' curvature z / 2.
  double level_;
  Vector slope_;
  Matrix curvature_;
  double bowl_curvature_;
};

// The covariance matrix of points among themselves, without noise.
Matrix trend_covariance_matrix(const TrendCovariance& covariance, const Matrix& points);

}  // namespace hunch
