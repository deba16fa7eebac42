#include "hunch/explore/local_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

constexpr double overflow_depth = 1e60;
constexpr double value_noise = 0.01;          // nats: no model needs to be better than this
constexpr double residual_noise = 1e-6;       // of the residual's sd: keeps its covariance positive definite
constexpr double residual_lengthscale = 1.5;  // region's radii
constexpr std::array residual_shares = {0.0, 0.1, 0.3,
                                        1.0};  // of the drop over the region: the residual's sd
constexpr double vague = 10;                   // prior sd of a coefficient, in drops

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

Quadratic to_quadratic(const Vector& coefficients, Index d) {
  Quadratic result{coefficients[0], coefficients.segment(1, d), Matrix(d, d)};
  Index at = d + 1;
  for (Index j = 0; j < d; ++j) {
    result.hessian(j, j) = coefficients[at++];
    for (Index k = j + 1; k < d; ++k) result.hessian(j, k) = result.hessian(k, j) = coefficients[at++];
  }
  return result;
}

double correlation(double squared_distance) {
  return std::exp(-0.5 * squared_distance / (residual_lengthscale * residual_lengthscale));
}

struct Row {
  std::size_t point;
  Vector y;
  double error;  // sd as a multiple of the relative error; nats
};

// Those of smallest error, of which values and slopes are a few times as many as there are coefficients.
std::vector<Row> rows_of(const std::vector<SearchPoint>& points, const SearchRegion& region,
                         double depth_scale) {
  const Index d = region.origin.size();
  const std::vector<double> depth = depths(points);
  const Eigen::PartialPivLU<Matrix> to_y(region.metric);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Vector y = to_y.solve(points[i].z - region.origin);
    const double distance = std::max(1.0, y.norm());
    // What a quadratic leaves out grows like the third power of the distance.
    rows.push_back({i, std::move(y), (depth_scale + depth[i]) * distance * distance * distance});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.error < b.error; });
  Index numbers = 0;
  const auto last = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    numbers += 1 + (points[row.point].gradient ? d : 0);
    return numbers > 2 * coefficients_of_quadratic(d) + 2 * d + 10;
  });
  rows.erase(last, rows.end());
  return rows;
}

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

// What is regressed: one row for each value and each coordinate of a gradient.
struct LocalModel::Regression {
  Matrix design;
  Vector target;
  Vector errors;        // sds, in relative errors
  Matrix correlations;  // of the residual
  double coefficient_sd;
};

struct LocalModel::Fit {
  double score = -infinity;  // log predictive density of each row given all others
  double relative_error = 1;
  Vector coefficients;
  Vector weights;
  Matrix inverse_root;
  Eigen::LLT<Matrix> residual_covariance;
};

// Generalised least squares. With K the covariance of residual and errors and P the precision of the target
// once the coefficients are marginalised, row i is missed by (P t)_i / P_ii when it is left out.
LocalModel::Fit LocalModel::fit(const Regression& r, double amplitude, double relative_error) {
  const Index m = r.design.rows();
  const Index p = r.design.cols();
  Fit result;
  const Vector sds = (relative_error * r.errors).array() + value_noise + residual_noise * amplitude;
  Matrix k = amplitude * amplitude * r.correlations;
  k.diagonal() += sds.cwiseAbs2();
  result.residual_covariance.compute(k);
  if (result.residual_covariance.info() != Eigen::Success) return result;
  const auto lower = result.residual_covariance.matrixL();
  Matrix stacked(m + p, p);
  stacked.topRows(m) = lower.solve(r.design);
  stacked.bottomRows(p) = Matrix::Identity(p, p) / r.coefficient_sd;
  Vector target = Vector::Zero(m + p);
  target.head(m) = lower.solve(r.target);
  const Eigen::HouseholderQR<Matrix> qr(stacked);
  result.coefficients = qr.solve(target);
  const Matrix root = qr.matrixQR().topRows(p).triangularView<Eigen::Upper>();
  result.inverse_root = root.triangularView<Eigen::Upper>().solve(Matrix::Identity(p, p));
  result.weights = result.residual_covariance.solve(r.target - r.design * result.coefficients);

  const Matrix thin = Matrix(qr.householderQ() * Matrix::Identity(m + p, p)).topRows(m);
  const Matrix inverse = lower.solve(Matrix::Identity(m, m));
  const Vector precisions =
      (inverse.colwise().squaredNorm() - (thin.transpose() * inverse).colwise().squaredNorm())
          .cwiseMax(1e-300);
  result.score =
      0.5 * (precisions.array().log() - result.weights.array().square() / precisions.array()).sum();

  // The residuals that are errors, over the rows that the model has to spare; with hardly any to spare they
  // say little, and a third of the depth is believed as three rows would be.
  const double spare = sds.cwiseAbs2().dot(precisions);
  const double squares = relative_error * relative_error * sds.cwiseProduct(result.weights).squaredNorm();
  const double believed = spare < 5 ? 3 : 0;
  result.relative_error = std::sqrt((squares + believed * 0.09) / std::max(1.0, spare + believed));
  result.relative_error = std::clamp(result.relative_error, 1e-9, 1.0);
  return result;
}

LocalModel::LocalModel(const std::vector<SearchPoint>& points, const SearchRegion& region, double depth_scale,
                       double drop, ModelErrors& errors) {
  const Index d = region.origin.size();
  const std::vector<double> depth = depths(points);
  const std::vector<Row> rows = rows_of(points, region, depth_scale);
  Index m = 0;
  for (const Row& row : rows) m += 1 + (points[row.point].gradient ? d : 0);
  Regression r{Matrix(m, coefficients_of_quadratic(d)), Vector(m), Vector(m), Matrix::Zero(m, m),
               vague * drop};
  Index at = 0;
  for (const Row& row : rows) {
    r.design.row(at) = features(row.y).transpose();
    r.target[at] = -depth[row.point];
    r.errors[at++] = row.error;
    if (const auto& slope = points[row.point].gradient) {
      r.design.middleRows(at, d) = gradient_features(row.y);
      r.target.segment(at, d) = region.metric.transpose() * *slope;
      r.errors.segment(at, d).setConstant(3 * row.error / std::max(1.0, row.y.norm()));
      at += d;
    }
  }
  // A residual is of use once the quadratic is determined.
  const bool with_residual = m == static_cast<Index>(rows.size()) && m >= coefficients_of_quadratic(d);
  if (with_residual) {
    ys_.resize(d, m);
    for (Index i = 0; i < m; ++i) ys_.col(i) = rows[static_cast<std::size_t>(i)].y;
    for (Index j = 0; j < m; ++j)
      for (Index i = 0; i < m; ++i)
        r.correlations(i, j) = correlation((ys_.col(i) - ys_.col(j)).squaredNorm());
  }
  // The error follows from the residuals that the last estimate gave, and the size of the residual is at most
  // one place away from that of the last fit.
  Fit best;
  const int last = static_cast<int>(residual_shares.size()) - 1;
  const int from = with_residual ? errors.residual : 0;
  for (int share = std::max(0, from - 1); share <= (with_residual ? std::min(last, from + 1) : 0); ++share) {
    const double amplitude = residual_shares[static_cast<std::size_t>(share)] * drop;
    const Fit first = fit(r, amplitude, errors.relative);
    Fit candidate = fit(r, amplitude, first.relative_error);
    if (!(candidate.score > best.score)) continue;
    best = std::move(candidate);
    errors.residual = share;
    amplitude_ = amplitude;
  }
  errors.relative = best.relative_error;
  coefficients_ = std::move(best.coefficients);
  quadratic_ = to_quadratic(coefficients_, d);
  inverse_root_ = std::move(best.inverse_root);
  weights_ = std::move(best.weights);
  residual_covariance_ = std::move(best.residual_covariance);
  design_ = std::move(r.design);
}

Vector LocalModel::covariances(const Vector& y) const {
  Vector k(ys_.cols());
  for (Index i = 0; i < k.size(); ++i)
    k[i] = amplitude_ * amplitude_ * correlation((y - ys_.col(i)).squaredNorm());
  return k;
}

double LocalModel::mean(const Vector& y) const {
  const double plain = quadratic_(y);
  return amplitude_ > 0 ? plain + covariances(y).dot(weights_) : plain;
}

double LocalModel::sd(const Vector& y) const {
  if (amplitude_ == 0) return (inverse_root_.transpose() * features(y)).norm();
  const Vector k = covariances(y);
  const Vector solved = residual_covariance_.solve(k);
  return std::sqrt(std::max(0.0, amplitude_ * amplitude_ - k.dot(solved)) +
                   (inverse_root_.transpose() * (features(y) - design_.transpose() * solved)).squaredNorm());
}

double LocalModel::curvature_sd(const Vector& direction) const {
  return (inverse_root_.transpose() * curvature_features(direction)).norm();
}

Quadratic LocalModel::expansion(const Vector& y) const {
  Quadratic result = quadratic_;
  if (amplitude_ == 0) return result;
  const Vector k = covariances(y).cwiseProduct(weights_) / (residual_lengthscale * residual_lengthscale);
  const Matrix away = ys_.colwise() - y;
  const Vector slope = away * k;
  Matrix bend = away * k.asDiagonal() * away.transpose() / (residual_lengthscale * residual_lengthscale);
  bend.diagonal().array() -= k.sum();
  result.hessian += bend;
  result.gradient += slope - bend * y;
  result.constant = mean(y) - result.gradient.dot(y) - 0.5 * y.dot(result.hessian * y);
  return result;
}

Vector LocalModel::maximiser(double radius) const {
  if (amplitude_ == 0) return maximise_in_ball(quadratic_.gradient, quadratic_.hessian, radius);
  Vector y = Vector::Zero(quadratic_.gradient.size());
  double value = mean(y);
  for (int iteration = 0; iteration < 15; ++iteration) {
    const Quadratic here = expansion(y);
    Vector step = maximise_in_ball(here.gradient, here.hessian, radius) - y;
    double after = mean(y + step);
    for (int halving = 0; halving < 8 && !(after > value); ++halving) {
      step *= 0.5;
      after = mean(y + step);
    }
    if (!(after > value)) break;
    y += step;
    if (after - value < 1e-3 * amplitude_) break;
    value = after;
  }
  return y;
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
