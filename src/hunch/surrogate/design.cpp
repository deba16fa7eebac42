#include "hunch/surrogate/design.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hunch {

namespace {

struct Spread {
  Vector mean;  // of each quantity
  Vector sd;    // more than 0
};

Spread spread_of(const Cloud& cloud) {
  const Vector mean = cloud.quantities * cloud.weights;
  const Vector variance = (cloud.quantities.colwise() - mean).cwiseAbs2() * cloud.weights;
  return {mean, variance.cwiseMax(1e-300).cwiseSqrt()};
}

// Columns: standardised coordinates, then half their squares less one: a change of their means is a change of
// means in sds, and of log sds.
Matrix standard_moments(const Cloud& cloud, const Spread& spread) {
  const Index d = cloud.quantities.rows();
  Matrix h(cloud.quantities.cols(), 2 * d);
  for (Index j = 0; j < d; ++j) {
    const Eigen::ArrayXd z = (cloud.quantities.row(j).transpose().array() - spread.mean[j]) / spread.sd[j];
    h.col(j) = z.matrix();
    h.col(d + j) = (0.5 * (z.square() - 1)).matrix();
  }
  return h;
}

Matrix standard_moments(const Cloud& cloud) {
  return standard_moments(cloud, spread_of(cloud));
}

constexpr double far_out = 3;        // sds
constexpr double heavy_share = 0.1;  // of a variance, beyond that
constexpr double most_nats = 3;      // that a weight is changed by: beyond, first order says nothing

// The weights if the surrogate were higher by so many nats.
Vector raised(const Vector& weights, const Eigen::ArrayXd& nats) {
  const Vector changed = (weights.array() * nats.min(most_nats).exp()).matrix();
  return changed / changed.sum();
}

// Far out evaluations are few, the more so in many dimensions, and the surrogate extrapolates: it errs there
// by several times what it claims. A heavy tail carries much of an sd; claims about it are multiplied.
// In the plane few evaluations are made in all, and fewer yet in tails: of 48 certificates for T1 one was
// false with a factor of two there, none with three or four.
double strain(Index dimension) {
  const auto d = static_cast<double>(dimension);
  return std::max(dimension <= 2 ? 4.0 : 2.0, 0.1 * d * d);
}

void strain_tails(const Matrix& h, Matrix& influence) {
  const Index d = h.cols() / 2;
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < h.rows(); ++i) {
      if (std::abs(h(i, j)) < far_out) continue;
      influence(i, j) *= strain(d);
      influence(i, d + j) *= strain(d);
    }
  }
}

// So many positions, each the one that `gains` says is worth most once those before it are evaluated.
template <class Gains>
std::vector<Index> greedily(Matrix covariance, Index count, double noise_variance, const Gains& gains) {
  std::vector<Index> chosen;
  for (Index k = 0; k < count; ++k) {
    Index best;
    gains(covariance, (covariance.diagonal().array() + noise_variance).matrix()).maxCoeff(&best);
    chosen.push_back(best);
    const Vector column = covariance.col(best);
    covariance.noalias() -= column * (column / (column[best] + noise_variance)).transpose();
    covariance.diagonal() = covariance.diagonal().cwiseMax(0.0);
  }
  return chosen;
}

// Where the surrogate is unsure there may be more than it believes.
Vector raised_where_unsure(const Cloud& cloud) {
  return (cloud.weights.array() * cloud.covariance.diagonal().array().sqrt().min(3.0).exp()).matrix();
}

// What an evaluation at each position takes off the weighted variance over all of them.
Vector variance_gains(const Matrix& covariance, const Vector& noisy, const Vector& weights) {
  return (covariance.cwiseAbs2() * weights).cwiseQuotient(noisy);
}

}  // namespace

Vector moment_error_bounds(const Cloud& cloud, double calibration) {
  const Matrix h = standard_moments(cloud);
  const Eigen::ArrayXd variance = cloud.covariance.diagonal().array() * (calibration * calibration);
  const Vector marginal = raised(cloud.weights, 0.5 * variance);
  const Vector plain = h.transpose() * cloud.weights;
  const Vector unguarded =
      cloud.guards.size() > 0 ? h.transpose() * raised(cloud.weights, cloud.guards.array()) : plain;
  const Vector shifted = h.transpose() * marginal;
  Matrix influence = marginal.asDiagonal() * (h.rowwise() - shifted.transpose());
  strain_tails(h, influence);
  const Matrix spread = cloud.covariance * influence;
  Vector bounds(h.cols());
  for (Index j = 0; j < h.cols(); ++j)
    bounds[j] = 2 * calibration * std::sqrt(std::max(0.0, influence.col(j).dot(spread.col(j)))) +
                std::abs(shifted[j] - plain[j]) + std::abs(unguarded[j] - plain[j]);
  return bounds;
}

double typical_deviation(const Cloud& cloud) {
  return std::sqrt(cloud.weights.dot(cloud.covariance.diagonal()));
}

std::vector<Tail> heavy_tails(const Cloud& cloud) {
  const Spread spread = spread_of(cloud);
  const Matrix h = standard_moments(cloud, spread);
  std::vector<std::pair<double, Tail>> heavy;  // by the share of the variance
  for (Index j = 0; j < h.cols() / 2; ++j) {
    const Eigen::ArrayXd squares = cloud.weights.array() * h.col(j).array().square();
    for (const double side : {1.0, -1.0}) {
      const double share = (side * h.col(j).array() > far_out).select(squares, 0.0).sum();
      if (share > heavy_share) heavy.push_back({share, {j, side, spread.mean[j], spread.sd[j]}});
    }
  }
  std::stable_sort(heavy.begin(), heavy.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Tail> tails;
  for (const auto& [share, tail] : heavy) tails.push_back(tail);
  return tails;
}

std::vector<Index> most_telling(const Cloud& cloud, Index count, double noise_variance) {
  const Vector weights = raised_where_unsure(cloud);
  return greedily(cloud.covariance, count, noise_variance,
                  [&](const Matrix& covariance, const Vector& noisy) {
                    return variance_gains(covariance, noisy, weights);
                  });
}

std::vector<Index> most_needed(const Cloud& cloud, Index count, double noise_variance) {
  const Matrix h = standard_moments(cloud);
  Matrix influence = cloud.weights.asDiagonal() * (h.rowwise() - (h.transpose() * cloud.weights).transpose());
  strain_tails(h, influence);
  const Vector weights = raised_where_unsure(cloud);
  const double all_variance = std::max(weights.dot(cloud.covariance.diagonal()), 1e-300);
  return greedily(
      cloud.covariance, count, noise_variance, [&](const Matrix& covariance, const Vector& noisy) -> Vector {
        const Matrix spread = covariance * influence;
        const double all_moments = std::max(influence.cwiseProduct(spread).sum(), 1e-300);
        const Vector of_moments = spread.rowwise().squaredNorm().cwiseQuotient(noisy);
        return of_moments / all_moments + variance_gains(covariance, noisy, weights) / all_variance;
      });
}

}  // namespace hunch
