#include "hunch/surrogate/local_process.hpp"

#include <cmath>
#include <utility>

namespace hunch {

LocalForm measured_local_form(Observes observes) {
  return observes == Observes::values ? LocalForm{2000, 64} : LocalForm{300, 32};
}

LocalProcess::LocalProcess(Covariance covariance, Observes observes, double prior_mean, Index neighbours,
                           Conditioning conditioning)
    : prior_(std::move(covariance), observes, prior_mean, conditioning),
      observes_(observes),
      neighbours_(neighbours),
      conditioning_(conditioning),
      tree_(prior_.dimension()) {
  if (neighbours < 1) throw InputError("local process: neighbours must be at least 1");
}

void LocalProcess::require(bool fits) const {
  if (fits) return;
  throw InputError("local process: expected finite points and gradients of dimension " +
                   std::to_string(prior_.dimension()) + ", and one of each for each value");
}

void LocalProcess::take(const Data& data) {
  const Index n = data.values.size();
  require(data.points.cols() == n && data.points.rows() == prior_.dimension() &&
          data.sloped() == (with_gradients() ? n : 0));
  for (Index i = 0; i < n; ++i)
    hold(data.points.col(i), data.values[i], with_gradients() ? Vector(data.gradients.col(i)) : Vector());
}

Admission LocalProcess::append(const Vector& point, double value, const Vector& gradient) {
  const Index d = prior_.dimension();
  require(point.size() == d && (!with_gradients() || gradient.size() == d));
  if (!is_usable(scaled(point)) || !std::isfinite(value)) return Admission::refused;
  if (with_gradients() && !is_usable(gradient.cwiseProduct(covariance().lengthscales)))
    return Admission::refused;
  if (!(variance_left_by_nearest(point) > conditioning_.admission_floor)) return Admission::refused;
  hold(point, value, gradient);
  return Admission::admitted;
}

// Over the signal variance.
double LocalProcess::variance_left_by_nearest(const Vector& point) const {
  const auto found = tree_.nearest(scaled(point), 1).nearest;
  if (found.empty()) return 1;
  const double correlation = radial(covariance().family, found.front().squared_distance).phi;
  return 1 - correlation * correlation;
}

void LocalProcess::hold(const Vector& point, double value, const Vector& gradient) {
  tree_.insert(scaled(point));
  points_.push_back(point);
  values_.push_back(value);
  if (with_gradients()) gradients_.push_back(gradient);
}

void LocalProcess::set_observations(const Vector& values, const Matrix& gradients) {
  const Index d = prior_.dimension();
  require(values.size() == size() && values.allFinite());
  if (with_gradients()) require(gradients.rows() == d && gradients.cols() == size() && gradients.allFinite());
  values_.assign(values.begin(), values.end());
  for (std::size_t i = 0; i < gradients_.size(); ++i) gradients_[i] = gradients.col(static_cast<Index>(i));
}

GaussianProcess::Prediction LocalProcess::predict(const Vector& z) const {
  return conditioned(tree_.merged(around(z), {{}, 0})).predict(z);
}

PairBelief LocalProcess::pair(const Vector& x, const Vector& y) const {
  return conditioned(conditioned_on(x, y)).pair(x, y);
}

std::vector<Index> LocalProcess::conditioned_on(const Vector& x, const Vector& y) const {
  return tree_.merged(around(x), around(y));
}

// A position that is not finite is near to nothing.
NeighbourTree::Search LocalProcess::around(const Vector& z) const {
  const Vector at = scaled(z);
  if (!is_usable(at)) return {{}, 0};
  return tree_.nearest(at, neighbours_);
}

GaussianProcess LocalProcess::conditioned(const std::vector<Index>& numbers) const {
  if (numbers.empty()) return prior_;
  const Index n = static_cast<Index>(numbers.size());
  Data data{Matrix(prior_.dimension(), n), Vector(n), Matrix(prior_.dimension(), with_gradients() ? n : 0)};
  for (Index i = 0; i < n; ++i) {
    const auto number = static_cast<std::size_t>(numbers[static_cast<std::size_t>(i)]);
    data.points.col(i) = points_[number];
    data.values[i] = values_[number];
    if (with_gradients()) data.gradients.col(i) = gradients_[number];
  }
  return GaussianProcess::condition(covariance(), data, prior_.prior_mean(), conditioning_);
}

}  // namespace hunch
