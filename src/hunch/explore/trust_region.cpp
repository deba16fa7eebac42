#include "hunch/explore/trust_region.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hunch {

namespace {

constexpr double least_drop = 0.5;  // nats: a region no deeper than this is as small as regions get
constexpr double widest_axis = 2;   // prior sds
constexpr double resize = 4;        // factor of the drop
constexpr double largest_size = 16;
constexpr double reshape_limit = 5;  // factor of an axis at a time

double nth(std::vector<double> values, std::size_t n) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), values.end());
  return values[n];
}

}  // namespace

TrustRegion::TrustRegion(Vector origin, const std::vector<double>& depths)
    : region_{std::move(origin), {}}, drop_(std::max(1.0, nth(depths, depths.size() / 2))) {
  region_.metric = Matrix::Identity(region_.origin.size(), region_.origin.size());
}

void TrustRegion::measure(const std::vector<double>& depths) {
  const auto few = static_cast<std::size_t>(2 * (region_.origin.size() + 1));
  size_ = std::min(size_, largest_size);
  drop_ = std::max(least_drop, size_ * nth(depths, std::min(depths.size() / 2, few)));
}

void TrustRegion::record(bool gained, double distance, Index evaluations, const std::vector<double>& depths) {
  without_gain_ = gained ? 0 : without_gain_ + evaluations;
  if (gained && distance > 0.8) size_ *= resize;
  // In so many evaluations a model of the slopes could have been replaced twice.
  if (without_gain_ >= std::max((region_.origin.size() + 2) / 2, evaluations)) {
    size_ /= 2;
    without_gain_ = 0;
  }
  measure(depths);
}

bool TrustRegion::shrink(const std::vector<double>& depths) {
  if (!(drop_ > least_drop)) return false;
  size_ /= resize;
  measure(depths);
  return true;
}

void TrustRegion::reshape(const Vector& origin, const LocalModel& model) {
  const Quadratic& quadratic = model.quadratic();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(-quadratic.hessian);
  const Vector slope =
      eigen.eigenvectors().transpose() * (quadratic.gradient + quadratic.hessian * to_y(origin));
  Matrix metric = region_.metric * eigen.eigenvectors();
  for (Index k = 0; k < slope.size(); ++k) {
    const double sd = std::min(drop_, model.curvature_sd(eigen.eigenvectors().col(k)));
    const double bend = std::max(1e-12, std::hypot(eigen.eigenvalues()[k], sd));
    const double g = std::abs(slope[k]);
    // bend s^2 / 2 + g s = drop, in a form without cancellation
    const double s = 2 * drop_ / (g + std::sqrt(g * g + 2 * bend * drop_));
    const double widest = widest_axis / std::max(metric.col(k).norm(), 1e-300);
    metric.col(k) *= std::min(std::clamp(s, 1 / reshape_limit, reshape_limit), widest);
  }
  region_ = {origin, metric};
}

void TrustRegion::set(Vector origin, const Matrix& root, double drop) {
  drop_ = drop;
  region_ = {std::move(origin), std::sqrt(2 * drop) * root};
  without_gain_ = 0;
}

}  // namespace hunch
