// TrendProcess: a Gaussian process made for log-likelihoods: a quadratic trend, and on it what a quadratic
// misses.
#pragma once

#include "hunch/surrogate/trend_covariance.hpp"

namespace hunch {

// What a process is told: values at points, which are columns, each value with noise of its own, because far
// tails are believed less; and gradients at the first so many of the points as there are columns of them.
struct TrendData {
  Matrix points;
  Vector values;
  Vector noise_variances;
  Matrix gradients = {};
  double gradient_noise_variance = 0;

  Index sloped() const { return gradients.cols(); }
  // Values, then one coordinate of all gradients after the other: the order of the covariance matrix.
  Vector numbers() const;
  Vector all_noise_variances() const;
};

// A value. Predicts values, whatever it was told.
class TrendProcess {
 public:
  TrendProcess(TrendCovariance covariance, TrendData data);

  Index size() const { return points_.cols(); }
  const TrendCovariance& covariance() const { return covariance_; }
  const Matrix& points() const { return points_; }

  // What predictions at one point need besides the process: room to work in, so that nothing is allocated.
  struct Workspace {
    Vector seen;   // for those who look at a point through a lens first
    Vector slope;  // and for what they see there
    Vector scaled;
    Vector distances;
    Vector part;
    Vector slopes;
    Vector along;
    Vector bends;
    Vector pull;
  };
  double mean(const Vector& z, Workspace& workspace) const;  // O(n d)
  double mean_and_gradient(const Vector& z, Vector& gradient, Workspace& workspace) const;
  // Never negative. O(n^2); it does allocate if the process was told gradients.
  double variance(const Vector& z, Workspace& workspace) const;

  Vector means(const Matrix& zs) const;
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
  Matrix cross(const Matrix& zs) const;        // numbers that it was told, by zs
  double prior_variance(double square) const;  // at z, of |z|^2
  void add_gradients(const Matrix& weights);
  void look_along(Workspace& workspace) const;

  TrendCovariance covariance_;
  Matrix points_;       // d x n
  Matrix scaled_rows_;  // n x d, divided by the lengthscales
  Matrix lower_;        // L of K + noise = L L'
  Vector weights_;
  Vector half_squares_;  // |z_i|^2 / 2
  // Of the gradients v_i, divided by the lengthscales, one row for each; and each row's product with its own
  // point: what they add to the mean is a function of distance times v_i.(z - z_i).
  Matrix gradient_weights_;
  Vector gradient_offsets_;
  // The trend's share of the mean, summed over the points: level + slope.z + z' curvature z / 2.
  double level_;
  Vector slope_;
  Matrix curvature_;
  double bowl_curvature_;
};

}  // namespace hunch
