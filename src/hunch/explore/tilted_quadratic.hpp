// TiltedQuadratic: a log-likelihood that is quadratic in all parameters but one, times an exponential of that
// one: what a normal likelihood is whose noise scale is a parameter.
#pragma once

#include <optional>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/explore/local_model.hpp"
#include "hunch/explore/search_prior.hpp"

namespace hunch {

// l(z) = c + a'z [+ sum_m q_m z_m^2 / 2] + exp(rate z_axis) (quadratic of all coordinates but z_axis)
class TiltedQuadratic {
 public:
  // `points` have log-likelihoods for values, `errors` are relative: nats for each. Searches over all axes
  // and rates, or from those of `before`. None if there are too few points or nothing fits: the root mean
  // square error of each point predicted from all others is below half of its `errors`.
  static std::optional<TiltedQuadratic> fit(const std::vector<SearchPoint>& points, const Vector& origin,
                                            const std::vector<double>& errors, const Vector& widths,
                                            const std::optional<TiltedQuadratic>& before);

  double value(const Vector& z) const;
  Vector gradient(const Vector& z) const;
  Matrix hessian(const Vector& z) const;

  Index axis() const { return axis_; }
  double rate() const { return rate_; }
  double relative_error() const { return relative_error_; }  // leave-one-out, root mean square

 private:
  enum class Plain { noise_only, all };  // which coordinates the part without the exponential has
  struct Data;
  bool solve(const Data& data);

  Index axis_ = 0;
  double rate_ = 1;
  Plain plain_ = Plain::noise_only;
  double relative_error_ = 0;
  Vector origin_;
  double constant_ = 0;
  Vector slope_;      // a
  Vector bend_;       // q
  double level_ = 0;  // of the quadratic that is multiplied
  Vector pull_;
  Matrix bowl_;
};

// A maximum of likelihood and prior together.
struct ConcaveTop {
  Vector z;
  Matrix covariance;  // the inverse of the curvature there
  double value;       // log posterior
};

// By damped Newton steps from a point; none unless they converge to a concave point within the prior.
std::optional<ConcaveTop> climb_to_top(const TiltedQuadratic& log_likelihood, const SearchPrior& prior,
                                       const Vector& from);

}  // namespace hunch
