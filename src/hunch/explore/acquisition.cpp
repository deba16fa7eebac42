#include "hunch/explore/acquisition.hpp"

#include <algorithm>
#include <cmath>

namespace hunch {

namespace {

// Columns: standardised coordinates, then half their squares less one: a change of their means is a change of
// means in sds, and of log sds.
Matrix standard_moments(const Cloud& cloud) {
  const Vector mean = cloud.quantities * cloud.weights;
  const Vector variance = (cloud.quantities.colwise() - mean).cwiseAbs2() * cloud.weights;
  const Index d = mean.size();
  Matrix h(cloud.quantities.cols(), 2 * d);
  for (Index j = 0; j < d; ++j) {
    const double sd = std::sqrt(std::max(variance[j], 1e-300));
    const Eigen::ArrayXd z = (cloud.quantities.row(j).transpose().array() - mean[j]) / sd;
    h.col(j) = z.matrix();
    h.col(d + j) = (0.5 * (z.square() - 1)).matrix();
  }
  return h;
}

constexpr double most_nats = 3;  // that a weight is changed by: beyond, first order says nothing

// The weights if the surrogate were higher by so many nats.
Vector raised(const Vector& weights, const Eigen::ArrayXd& nats) {
  const Vector changed = (weights.array() * nats.min(most_nats).exp()).matrix();
  return changed / changed.sum();
}

// One column for each thing that is wanted: the posterior itself, each mean, each log sd. Each sums to one.
Matrix influences(const Cloud& cloud) {
  const Matrix h = standard_moments(cloud);
  Matrix result(h.rows(), h.cols() + 1);
  result << cloud.weights, cloud.weights.asDiagonal() * h.cwiseAbs2();
  for (Index j = 0; j < result.cols(); ++j) result.col(j) /= std::max(result.col(j).sum(), 1e-300);
  return result;
}

}  // namespace

Vector moment_error_bounds(const Cloud& cloud, double calibration) {
  const Matrix h = standard_moments(cloud);
  const Eigen::ArrayXd variance = cloud.covariance.diagonal().array() * (calibration * calibration);
  const Vector marginal = raised(cloud.weights, 0.5 * variance);
  const Vector plain = h.transpose() * cloud.weights;
  const Vector shifted = h.transpose() * marginal;
  const Matrix influence = marginal.asDiagonal() * (h.rowwise() - shifted.transpose());
  const Matrix spread = cloud.covariance * influence;
  Vector bounds(h.cols());
  for (Index j = 0; j < h.cols(); ++j)
    bounds[j] = 2 * calibration * std::sqrt(std::max(0.0, influence.col(j).dot(spread.col(j)))) +
                std::abs(shifted[j] - plain[j]);
  return bounds;
}

double deviation_where_it_counts(const Cloud& cloud, const Vector& variances) {
  return std::sqrt((influences(cloud).transpose() * variances).maxCoeff());
}

Choice choose_evaluations(const Cloud& cloud, Wanted wanted, Index count, double noise_variance) {
  const Vector all = influences(cloud).rowwise().sum();
  const Vector weights = raised(all, cloud.covariance.diagonal().array().sqrt());
  const Matrix h = standard_moments(cloud);
  const Matrix of_moments =
      cloud.weights.asDiagonal() * (h.rowwise() - (h.transpose() * cloud.weights).transpose());
  const double all_variance = std::max(weights.dot(cloud.covariance.diagonal()), 1e-300);
  Matrix covariance = cloud.covariance;
  Choice choice;
  for (Index k = 0; k < count; ++k) {
    Vector gains = covariance.cwiseAbs2() * weights / all_variance;
    if (wanted == Wanted::moments) {
      const Matrix spread = covariance * of_moments;
      gains += spread.rowwise().squaredNorm() / std::max(of_moments.cwiseProduct(spread).sum(), 1e-300);
    }
    Index best;
    gains.cwiseQuotient((covariance.diagonal().array() + noise_variance).matrix()).maxCoeff(&best);
    choice.positions.push_back(best);
    const Vector column = covariance.col(best) / (covariance(best, best) + noise_variance);
    covariance.noalias() -= column * covariance.row(best).eval();
    covariance.diagonal() = covariance.diagonal().cwiseMax(0.0);
  }
  choice.variances = covariance.diagonal();
  return choice;
}

}  // namespace hunch
