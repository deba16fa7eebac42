// LocalQuadratic: a Bayesian quadratic regression of the log posterior around its best evaluation, with
// errors relative to depth, so that values a million nats deep neither matter nor disturb.
#pragma once

#include <optional>
#include <vector>

#include "hunch/core/rng.hpp"
#include "hunch/core/types.hpp"

namespace hunch {

// One evaluation in the coordinates of the search: z = (position - centre) / width of the prior.
struct SearchPoint {
  Vector z;
  double value;                    // log posterior, nats; minus infinity outside the support
  std::optional<Vector> gradient;  // of the log posterior with respect to z
};

// The region of trust {origin + metric y : |y| <= 1}.
struct SearchRegion {
  Vector origin;
  Matrix metric;
};

class LocalQuadratic {
 public:
  // `depth_scale`: nats; depths below it count alike. `vague`: prior sd of each coefficient, nats.
  // `relative_error` (in and out) is the share of its depth by which a point in the region misses a
  // quadratic.
  LocalQuadratic(const std::vector<SearchPoint>& points, const SearchRegion& region, double depth_scale,
                 double vague, double& relative_error);

  // All in the region's coordinates y; nats above the best point.
  double mean(const Vector& y) const;
  double sd(const Vector& y) const;
  const Vector& gradient() const { return gradient_; }  // at y = 0
  const Matrix& hessian() const { return hessian_; }
  double curvature_sd(const Vector& direction) const;  // of direction' hessian direction

  // Another quadratic that the evaluations allow: a draw of the coefficients.
  LocalQuadratic draw(Rng& rng) const;

 private:
  void set_coefficients(Vector coefficients);

  Vector coefficients_;
  double constant_ = 0;
  Vector gradient_;
  Matrix hessian_;
  Matrix inverse_root_;  // the coefficients' covariance is inverse_root_ times its transpose
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
