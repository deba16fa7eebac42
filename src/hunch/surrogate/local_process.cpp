#include "hunch/surrogate/local_process.hpp"

#include <cmath>
#include <utility>

#include "hunch/surrogate/brief_process.hpp"
#include "hunch/surrogate/joint_blocks.hpp"
#include "hunch/surrogate/joint_process.hpp"

namespace hunch {

LocalForm measured_local_form(Observes observes) {
  return observes == Observes::values ? LocalForm{2000, 64} : LocalForm{300, 32};
}

LocalProcess::LocalProcess(Covariance covariance, double prior_mean, Observes observes, Index neighbours,
                           Conditioning conditioning)
    : covariance_(std::move(covariance)),
      prior_mean_(prior_mean),
      observes_(observes),
      neighbours_(neighbours),
      conditioning_(conditioning),
      tree_(covariance_.lengthscales.size()) {
  validate(covariance_);
  if (!std::isfinite(prior_mean)) throw InputError("local process: prior mean is not finite");
  if (neighbours < 1) throw InputError("local process: neighbours must be at least 1");
}

void LocalProcess::take(const JointData& data) {
  check_sizes(data);
  const Vector none;
  for (Index i = 0; i < data.values.size(); ++i)
    hold(data.points.col(i), data.values[i],
         observes_ == Observes::values ? none : Vector(data.gradients.col(i)));
}

Admission LocalProcess::append(const Vector& point, double value, const Vector& gradient) {
  const bool with_gradient = observes_ == Observes::values_and_gradients;
  if (point.size() != dimension() || (with_gradient && gradient.size() != dimension()))
    throw InputError("local process: a point must have " + std::to_string(dimension()) + " coordinates");
  if (!is_usable(point.cwiseQuotient(covariance_.lengthscales)) || !std::isfinite(value))
    return Admission::refused;
  if (with_gradient && !is_usable(gradient.cwiseProduct(covariance_.lengthscales))) return Admission::refused;
  if (!(variance_left_by_nearest(point) > conditioning_.admission_floor)) return Admission::refused;
  hold(point, value, gradient);
  return Admission::admitted;
}

// Over the signal variance.
double LocalProcess::variance_left_by_nearest(const Vector& point) const {
  const auto found = tree_.nearest(point.cwiseQuotient(covariance_.lengthscales), 1).nearest;
  if (found.empty()) return 1;
  const double correlation = radial(covariance_.family, found.front().squared_distance).phi;
  return 1 - correlation * correlation;
}

void LocalProcess::hold(const Vector& point, double value, const Vector& gradient) {
  tree_.insert(point.cwiseQuotient(covariance_.lengthscales));
  points_.push_back(point);
  values_.push_back(value);
  if (observes_ == Observes::values_and_gradients) gradients_.push_back(gradient);
}

void LocalProcess::check_sizes(const JointData& data) const {
  const Index n = data.values.size();
  const Index gradients = observes_ == Observes::values ? 0 : n;
  if (data.points.rows() == dimension() && data.points.cols() == n && data.gradients.cols() == gradients &&
      (gradients == 0 || data.gradients.rows() == dimension()))
    return;
  throw InputError("local process: expected one column of points, and of gradients if they are observed, " +
                   ("for each of the " + std::to_string(n)) + " values");
}

void LocalProcess::set_observations(const Vector& values, const Matrix& gradients) {
  const bool with_gradients = observes_ == Observes::values_and_gradients;
  const bool fits = !with_gradients || (gradients.rows() == dimension() && gradients.cols() == size());
  if (values.size() != size() || !fits)
    throw InputError("local process: expected data for " + std::to_string(size()) + " points");
  if (!values.allFinite() || (with_gradients && !gradients.allFinite()))
    throw InputError("local process: values or gradients are not finite");
  values_.assign(values.begin(), values.end());
  if (!with_gradients) return;
  for (Index i = 0; i < size(); ++i) gradients_[static_cast<std::size_t>(i)] = gradients.col(i);
}

LocalProcess::Prediction LocalProcess::predict(const Vector& z) const {
  const NeighbourTree::Search near = around(z);
  const JointData seen = observations(tree_.merged(near, {{}, 0}));
  if (observes_ == Observes::values)
    return BriefProcess(covariance_, seen.points, seen.values, prior_mean_, conditioning_).predict(z);
  return JointProcess::condition(covariance_, seen.points, seen.values, seen.gradients, prior_mean_,
                                 conditioning_)
      .predict(z);
}

PairBelief LocalProcess::pair(const Vector& x, const Vector& y) const {
  const JointData seen = observations(conditioned_on(x, y));
  if (observes_ == Observes::values)
    return BriefProcess(covariance_, seen.points, seen.values, prior_mean_, conditioning_).pair(x, y);
  return JointProcess::condition(covariance_, seen.points, seen.values, seen.gradients, prior_mean_,
                                 conditioning_)
      .pair(x, y);
}

std::vector<Index> LocalProcess::conditioned_on(const Vector& x, const Vector& y) const {
  return tree_.merged(around(x), around(y));
}

// A position that is not finite is near to nothing.
NeighbourTree::Search LocalProcess::around(const Vector& z) const {
  const Vector scaled = z.cwiseQuotient(covariance_.lengthscales);
  if (!is_usable(scaled)) return {{}, 0};
  return tree_.nearest(scaled, neighbours_);
}

JointData LocalProcess::observations(const std::vector<Index>& numbers) const {
  const Index n = static_cast<Index>(numbers.size());
  JointData data{Matrix(dimension(), n), Vector(n),
                 Matrix(dimension(), observes_ == Observes::values ? 0 : n)};
  for (Index i = 0; i < n; ++i) {
    const auto number = static_cast<std::size_t>(numbers[static_cast<std::size_t>(i)]);
    data.points.col(i) = points_[number];
    data.values[i] = values_[number];
    if (observes_ == Observes::values_and_gradients) data.gradients.col(i) = gradients_[number];
  }
  return data;
}

}  // namespace hunch
