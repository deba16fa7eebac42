#include "hunch/surrogate/lens.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hunch/core/moments.hpp"

namespace hunch {

namespace {

// Farther from the posterior than this a coordinate need not be told apart from farther still.
constexpr double far_away = 40;
// A coordinate that moves less than this with its position, where one in the middle moves by about 1, says
// nothing of a slope.
constexpr double too_flat = 1e-4;

double seen(Scale scale, double x) {
  const double near = std::clamp(x, -far_away, far_away);
  switch (scale) {
    case Scale::position:
      return x;
    case Scale::above:
      return std::exp(near);
    case Scale::below:
      return -std::exp(-near);
    case Scale::between:
      return 1 / (1 + std::exp(-near));
  }
  return x;
}

double slope_of(Scale scale, double x) {
  if (scale == Scale::position) return 1;
  if (std::abs(x) > far_away) return 0;
  switch (scale) {
    case Scale::above:
      return std::exp(x);
    case Scale::below:
      return std::exp(-x);
    default:
      return 1 / ((1 + std::exp(-x)) * (1 + std::exp(x)));
  }
}

bool all_straight(const std::vector<Scale>& scales) {
  return std::all_of(scales.begin(), scales.end(), [](Scale scale) { return scale == Scale::position; });
}

}  // namespace

Frame Frame::of(const Vector& centre, const Matrix& covariance) {
  const Matrix lower = Eigen::LLT<Matrix>(covariance).matrixL();
  const Index d = centre.size();
  return {centre, lower, lower.triangularView<Eigen::Lower>().solve(Matrix::Identity(d, d))};
}

Lens::Lens(Frame frame)
    : scales_(static_cast<std::size_t>(frame.centre.size()), Scale::position),
      origin_(Vector::Zero(frame.centre.size())),
      straight_(true),
      frame_(std::move(frame)) {}

Lens::Lens(std::vector<Scale> scales, const Frame& of_positions)
    : scales_(std::move(scales)), straight_(all_straight(scales_)), frame_(of_positions) {
  set_origin(of_positions.centre);
  if (straight_) return;
  Vector slopes(origin_.size());
  for (Index j = 0; j < origin_.size(); ++j)
    slopes[j] = slope_of(scales_[static_cast<std::size_t>(j)], of_positions.centre[j] - origin_[j]);
  pass(of_positions.centre, frame_.centre);
  frame_.factor = slopes.asDiagonal() * of_positions.factor;
  frame_.inverse = of_positions.inverse * slopes.cwiseInverse().asDiagonal();
}

Lens::Lens(std::vector<Scale> scales, const Matrix& positions, const Vector& weights)
    : scales_(std::move(scales)), straight_(all_straight(scales_)) {
  set_origin(positions * weights);
  Matrix bent(positions.rows(), positions.cols());
  Vector u;
  for (Index i = 0; i < positions.cols(); ++i) {
    pass(positions.col(i), u);
    bent.col(i) = u;
  }
  const Moments shape = moments(bent, weights);
  frame_ = Frame::of(shape.mean, shape.covariance);
}

// Exponentials are of distances from the middle of the posterior; where a logistic bends is fixed.
void Lens::set_origin(const Vector& middle) {
  origin_ = middle;
  for (Index j = 0; j < origin_.size(); ++j) {
    const Scale scale = scales_[static_cast<std::size_t>(j)];
    if (scale == Scale::position || scale == Scale::between) origin_[j] = 0;
  }
}

void Lens::pass(const Vector& x, Vector& u) const {
  u.resize(x.size());
  for (Index j = 0; j < x.size(); ++j) u[j] = seen(scales_[static_cast<std::size_t>(j)], x[j] - origin_[j]);
}

// Works within z: free steps look at every place they try. The inverse is a lower triangle, so that from the
// last coordinate on each of z is read before it is written.
void Lens::look(const Vector& x, Vector& z) const {
  if (straight_)
    z = x;
  else
    pass(x, z);
  z -= frame_.centre;
  for (Index i = z.size() - 1; i >= 0; --i) {
    double sum = 0;
    for (Index j = 0; j <= i; ++j) sum += frame_.inverse(i, j) * z[j];
    z[i] = sum;
  }
}

Matrix Lens::look(const Matrix& xs) const {
  Matrix zs(xs.rows(), xs.cols());
  Vector z(xs.rows());
  for (Index i = 0; i < xs.cols(); ++i) {
    look(xs.col(i), z);
    zs.col(i) = z;
  }
  return zs;
}

void Lens::pull_back(const Vector& x, const Vector& slope, Vector& gradient) const {
  gradient.noalias() = frame_.inverse.transpose() * slope;
  if (straight_) return;
  for (Index j = 0; j < x.size(); ++j)
    gradient[j] *= slope_of(scales_[static_cast<std::size_t>(j)], x[j] - origin_[j]);
}

std::optional<Vector> Lens::push_forward(const Vector& x, const Vector& gradient) const {
  Vector bent = gradient;
  for (Index j = 0; j < x.size(); ++j) {
    const double slope = slope_of(scales_[static_cast<std::size_t>(j)], x[j] - origin_[j]);
    if (slope < too_flat) return std::nullopt;
    bent[j] /= slope;
  }
  Vector result = frame_.factor.transpose() * bent;
  if (!result.allFinite()) return std::nullopt;
  return result;
}

}  // namespace hunch
