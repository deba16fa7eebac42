// LocalModel: a Bayesian regression of the log posterior around the best evaluation: a quadratic and a smooth
// residual, with errors relative to depth, so that values a million nats deep neither matter nor disturb.
#pragma once

#include <optional>
#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

// One evaluation in the coordinates of the search: z = (position - centre) / width of the prior.
struct SearchPoint {
  Vector z;
  double value;                    // log posterior, nats; minus infinity outside the support
  std::optional<Vector> gradient;  // of the log posterior with respect to z
};

// The trust region {origin + metric y : |y| <= 1}.
struct SearchRegion {
  Vector origin;
  Matrix metric;
};

// constant + gradient'y + y' hessian y / 2
struct Quadratic {
  double constant = 0;
  Vector gradient;
  Matrix hessian;

  double operator()(const Vector& y) const { return constant + gradient.dot(y) + 0.5 * y.dot(hessian * y); }
};

// What one fit tells the next.
struct ModelErrors {
  double relative = 0.3;  // the share of its depth by which a point of the region misses the model
  int residual = 0;       // size of the residual's sd, as a place in a list of shares
};

// Where a model is quadratic it is one with errors that grow with the third power of the distance |y|. What a
// quadratic misses within the region is a Gaussian process in y, chosen by how well each point is predicted
// from all others; gradients, where there are any, replace it.
class LocalModel {
 public:
  // `depth_scale`: nats; depths below it count alike. `drop`: nats by which the log posterior is expected to
  // vary over the region.
  LocalModel(const std::vector<SearchPoint>& points, const SearchRegion& region, double depth_scale,
             double drop, ModelErrors& errors);

  // All in the region's coordinates y; nats above the best point.
  double mean(const Vector& y) const;
  double sd(const Vector& y) const;
  Vector maximiser(double radius) const;  // of the mean, within |y| <= radius

  // The quadratic part alone, which the region's shape and the decision "at a top" rest on: the residual may
  // have bumps of its own.
  const Quadratic& quadratic() const { return quadratic_; }
  double curvature_sd(const Vector& direction) const;  // of direction' hessian direction
  // The second-order expansion of the mean at `y`, written as a function of y.
  Quadratic expansion(const Vector& y) const;

 private:
  struct Regression;
  struct Fit;
  static Fit fit(const Regression& regression, double amplitude, double relative_error);
  Vector covariances(const Vector& y) const;  // of the residual at y with that at the points

  Quadratic quadratic_;
  Vector coefficients_;
  Matrix inverse_root_;   // the coefficients' covariance is inverse_root_ times its transpose
  double amplitude_ = 0;  // sd of the residual, nats; 0: none
  Matrix ys_;             // where it was seen, columns
  Vector weights_;        // the residual's mean is covariances(y)'weights_
  Eigen::LLT<Matrix> residual_covariance_;  // of residual and errors, at the points
  Matrix design_;
};

// The y of largest g'y + y'Hy/2 within |y| <= radius.
Vector maximise_in_ball(const Vector& gradient, const Matrix& hessian, double radius);

// In nats below the best of them, which must be finite; minus infinity counts as three times the deepest. A
// depth beyond 1e60 is an overflow, and counts as minus infinity.
std::vector<double> depths(const std::vector<SearchPoint>& points);

// The depth within which there are enough points for a slope: the ((d + 2) / 2)-th best point's, at least .5.
double depth_scale(std::vector<double> depths, Index dimension);

Index coefficients_of_quadratic(Index dimension);  // (d + 1) (d + 2) / 2

}  // namespace hunch
