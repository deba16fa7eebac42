// MeanFunction: what a Gaussian process expects, as a function that is cheap to evaluate.
#pragma once

#include <vector>

#include "hunch/surrogate/covariance.hpp"

namespace hunch {

// sum_i a_i k(number i, f(z)) + prior mean, for the weights a of a process. A value.
class MeanFunction {
 public:
  // What predictions at one point need: room to work in, so that nothing is allocated.
  struct Workspace {
    Vector seen;   // for callers with coordinates of their own: the point in ours,
    Vector slope;  // and the gradient with respect to them
    Vector scaled;
    Vector product;
    Vector sums;
    Matrix cross;
    CovarianceWorkspace covariance;
  };

  // Weights are in the order of the sites' numbers.
  MeanFunction(Covariance covariance, const Sites& sites, const Vector& weights, double prior_mean);

  // O(n d). Where z is not finite: the prior.
  double value(const Vector& z, Workspace& workspace) const;
  double value_and_gradient(const Vector& z, Vector& gradient, Workspace& workspace) const;
  // The same bits as one by one, several times faster. Points are columns.
  Vector values(const Matrix& zs) const;

  // The isotropic part of the trend's curvature: negative where it goes down on all sides.
  double bowl_curvature() const { return bowl_curvature_; }

 private:
  template <int width>
  void add_stationary(const double* scaled, double* results) const;
  // The trend and, if `gradient` is given, its slope, which is added.
  double trend(const Vector& z, Vector& product, Vector* gradient = nullptr) const;

  Covariance covariance_;
  double prior_mean_;
  // Columns as long as n are padded to whole lanes, with zero weights.
  Matrix scaled_rows_;  // points over the lengthscales
  Vector weights_;      // of values, times the signal variance
  // Of gradients, times the signal variance and over the lengthscales: v_i, and its product with its own
  // point. What they add to the mean is a function of distance times v_i.(z - z_i).
  Matrix gradient_weights_;
  Vector gradient_offsets_;
  // The trend's share of the mean, summed over the points: level + slope.z + z' curvature z / 2.
  struct Polynomial {
    double level;
    Vector slope;
    Matrix curvature;

    double operator()(const Vector& z, Vector& product) const {
      product.noalias() = curvature * z;
      return level + slope.dot(z) + 0.5 * z.dot(product);
    }
  };
  Polynomial plain_;
  std::vector<Polynomial> tilted_;  // those of the tilted terms, times their exponentials
  double bowl_curvature_;
};

}  // namespace hunch
