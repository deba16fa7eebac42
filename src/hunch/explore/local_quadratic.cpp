#include "hunch/explore/local_quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

constexpr double overflow_depth = 1e60;
constexpr double value_noise = 0.01;  // nats: no quadratic needs to be better than this

// 1, y, then y_j^2 / 2 and y_j y_k: the coefficients are value, gradient and Hessian at the origin.
Vector features(const Vector& y) {
  const Index d = y.size();
  Vector phi(coefficients_of_quadratic(d));
  phi[0] = 1;
  phi.segment(1, d) = y;
  Index at = d + 1;
  for (Index j = 0; j < d; ++j) {
    phi[at++] = 0.5 * y[j] * y[j];
    for (Index k = j + 1; k < d; ++k) phi[at++] = y[j] * y[k];
  }
  return phi;
}

// Of direction' H direction: what features of y_j^2 / 2 and y_j y_k give, less value and slope, twice.
Vector curvature_features(const Vector& direction) {
  Vector phi = 2 * features(direction);
  phi.head(direction.size() + 1).setZero();
  return phi;
}

// One row for each coordinate of the gradient with respect to y.
Matrix gradient_features(const Vector& y) {
  const Index d = y.size();
  Matrix rows = Matrix::Zero(d, coefficients_of_quadratic(d));
  for (Index j = 0; j < d; ++j) rows(j, 1 + j) = 1;
  Index at = d + 1;
  for (Index j = 0; j < d; ++j) {
    rows(j, at++) = y[j];
    for (Index k = j + 1; k < d; ++k, ++at) {
      rows(j, at) = y[k];
      rows(k, at) = y[j];
    }
  }
  return rows;
}

struct Row {
  std::size_t point;
  Vector y;
  double error;  // sd as a multiple of the relative error; nats
};

}  // namespace

Index coefficients_of_quadratic(Index dimension) {
  return (dimension + 1) * (dimension + 2) / 2;
}

std::vector<double> depths(const std::vector<SearchPoint>& points) {
  double best = -infinity;
  for (const SearchPoint& point : points) best = std::max(best, point.value);
  std::vector<double> result;
  double deepest = 1;
  for (const SearchPoint& point : points) {
    result.push_back(best - point.value);
    if (result.back() < overflow_depth) deepest = std::max(deepest, result.back());
  }
  for (double& depth : result)
    if (!(depth < overflow_depth)) depth = 3 * deepest;
  return result;
}

double depth_scale(std::vector<double> depths, Index dimension) {
  const auto wanted = static_cast<std::size_t>((dimension + 3) / 2);
  const std::size_t at = std::min(depths.size(), wanted) - 1;
  std::nth_element(depths.begin(), depths.begin() + static_cast<Index>(at), depths.end());
  return std::max(0.5, depths[at]);
}

LocalQuadratic::LocalQuadratic(const std::vector<SearchPoint>& points, const SearchRegion& region,
                               double depth_scale, double vague, double& relative_error) {
  const Index d = region.origin.size();
  const Index p = coefficients_of_quadratic(d);
  const std::vector<double> depth = depths(points);
  const Eigen::PartialPivLU<Matrix> to_y(region.metric);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Vector y = to_y.solve(points[i].z - region.origin);
    const double distance = std::max(1.0, y.norm());
    // What a quadratic leaves out grows like the third power of the distance.
    rows.push_back({i, std::move(y), (depth_scale + depth[i]) * distance * distance * distance});
  }
  const auto kept = std::min(rows.size(), static_cast<std::size_t>(2 * p + 2 * d + 10));
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.error < b.error; });
  rows.resize(kept);

  Index m = 0;
  for (const Row& row : rows) m += 1 + (points[row.point].gradient ? d : 0);
  Matrix design(m + p, p);
  Vector target(m + p);
  Vector errors(m);
  Index at = 0;
  for (const Row& row : rows) {
    design.row(at) = features(row.y).transpose();
    target[at] = -depth[row.point];
    errors[at++] = row.error;
    if (const auto& slope = points[row.point].gradient) {
      design.middleRows(at, d) = gradient_features(row.y);
      target.segment(at, d) = region.metric.transpose() * *slope;
      errors.segment(at, d).setConstant(3 * row.error / std::max(1.0, row.y.norm()));
      at += d;
    }
  }
  // The error is estimated from the residuals that the last estimate gave: two rounds are enough, because the
  // prior on the coefficients is vague.
  Matrix scaled(m + p, p);
  Vector scaled_target(m + p);
  Eigen::HouseholderQR<Matrix> qr;
  for (int round = 0; round < 2; ++round) {
    const Vector sds = (relative_error * errors).array() + value_noise;
    scaled.topRows(m) = sds.cwiseInverse().asDiagonal() * design.topRows(m);
    scaled_target.head(m) = target.head(m).cwiseQuotient(sds);
    scaled.bottomRows(p) = Matrix::Identity(p, p) / vague;
    scaled_target.tail(p).setZero();
    qr.compute(scaled);
    const Vector coefficients = qr.solve(scaled_target);
    const Matrix thin = qr.householderQ() * Matrix::Identity(m + p, p);
    const double used = thin.topRows(m).squaredNorm();
    const double spare = static_cast<double>(m) - used;
    double squares = (scaled.topRows(m) * coefficients - scaled_target.head(m)).squaredNorm();
    squares *= relative_error * relative_error;
    // With hardly a point to spare, residuals say little: a third of the depth, worth three points.
    const double believed = spare < 5 ? 3 : 0;
    relative_error = std::sqrt((squares + believed * 0.09) / std::max(1.0, spare + believed));
    relative_error = std::clamp(relative_error, 1e-9, 1.0);
    set_coefficients(coefficients);
  }
  const Matrix root = qr.matrixQR().topRows(p).triangularView<Eigen::Upper>();
  inverse_root_ = root.triangularView<Eigen::Upper>().solve(Matrix::Identity(p, p));
}

void LocalQuadratic::set_coefficients(Vector coefficients) {
  coefficients_ = std::move(coefficients);
  Index d = 0;
  while (coefficients_of_quadratic(d) < coefficients_.size()) ++d;
  constant_ = coefficients_[0];
  gradient_ = coefficients_.segment(1, d);
  hessian_.resize(d, d);
  Index at = d + 1;
  for (Index j = 0; j < d; ++j) {
    hessian_(j, j) = coefficients_[at++];
    for (Index k = j + 1; k < d; ++k) hessian_(j, k) = hessian_(k, j) = coefficients_[at++];
  }
}

double LocalQuadratic::mean(const Vector& y) const {
  return constant_ + gradient_.dot(y) + 0.5 * y.dot(hessian_ * y);
}

double LocalQuadratic::sd(const Vector& y) const {
  return (inverse_root_.transpose() * features(y)).norm();
}

double LocalQuadratic::curvature_sd(const Vector& direction) const {
  return (inverse_root_.transpose() * curvature_features(direction)).norm();
}

LocalQuadratic LocalQuadratic::draw(Rng& rng) const {
  LocalQuadratic other = *this;
  other.set_coefficients(coefficients_ + inverse_root_ * rng.normal(coefficients_.size()));
  return other;
}

Vector maximise_in_ball(const Vector& gradient, const Matrix& hessian, double radius) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(hessian);
  const Vector& curvatures = eigen.eigenvalues();  // ascending
  const Vector slopes = eigen.eigenvectors().transpose() * gradient;
  const auto step = [&](double shift) -> Vector {
    return slopes.array() / (shift - curvatures.array()).max(1e-300);
  };
  const double top = curvatures[curvatures.size() - 1];
  if (top < 0) {
    const Vector newton = step(0);
    if (newton.norm() <= radius) return eigen.eigenvectors() * newton;
  }
  // On the boundary: the shift at which the step is as long as the radius.
  const double least = std::max(0.0, top);
  const double scale = std::max({std::abs(curvatures[0]), std::abs(top), gradient.norm() / radius, 1e-300});
  double low = least + 1e-14 * scale;
  if (step(low).norm() <=
      radius) {  // the slope has no part along the steepest rise: either side of it will do
    Vector y = step(low);
    const double left = radius * radius - y.squaredNorm();
    y[y.size() - 1] += std::copysign(std::sqrt(std::max(0.0, left)), slopes[y.size() - 1]);
    return eigen.eigenvectors() * y * (radius / std::max(y.norm(), 1e-300));
  }
  double high = least + 2 * scale;
  while (step(high).norm() > radius) high = least + 2 * (high - least);
  for (int i = 0; i < 100 && high - low > 1e-12 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (step(middle).norm() > radius ? low : high) = middle;
  }
  return eigen.eigenvectors() * step(high);
}

}  // namespace hunch
