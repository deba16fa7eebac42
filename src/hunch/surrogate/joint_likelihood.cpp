#include "hunch/surrogate/joint_likelihood.hpp"

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/surrogate/cholesky_inverse.hpp"
#include "hunch/surrogate/joint_blocks.hpp"

namespace hunch {

namespace {

// Constant data have no amplitude; below this the profiled signal variance says nothing.
constexpr double smallest_variance = 1e-16;
// Scaled and squared: further points have nothing to do with each other.
constexpr double largest_distance = 1e4;

// The lower triangle of the correlations of (f, l g) at all points, in scaled units.
Matrix correlations(CovarianceFamily family, const Matrix& scaled_points, double relative_jitter) {
  const Index block = scaled_points.rows() + 1;
  const Index n = scaled_points.cols();
  Matrix all(n * block, n * block);
  RowMatrix panel(n * block, block);
  for (Index i = 0; i < n; ++i) {
    const Index rows = (n - i) * block;
    fill_cross_block(family, scaled_points.rightCols(n - i), scaled_points.col(i), panel, 0);
    all.block(i * block, i * block, rows, block) = panel.topRows(rows);
  }
  all.diagonal() *= 1 + relative_jitter;
  return all;
}

// Columns (f_i, l g_i) point by point, and 1 for each value.
Matrix right_hand_sides(const JointData& data, const Vector& lengthscales) {
  const Index block = lengthscales.size() + 1;
  Matrix right = Matrix::Zero(data.values.size() * block, 2);
  for (Index i = 0; i < data.values.size(); ++i) {
    right(i * block, 0) = data.values(i);
    right(i * block, 1) = 1;
    right.col(0).segment(i * block + 1, block - 1) = data.gradients.col(i).cwiseProduct(lengthscales);
  }
  return right;
}

// With a = C^-1 r, the derivative of the log-likelihood with respect to C is (a a' / signal_variance - C^-1)
// / 2.
Vector correlation_gradient(CovarianceFamily family, const Matrix& scaled_points, const Matrix& inverse,
                            const Vector& a, double signal_variance) {
  const Index d = scaled_points.rows();
  const Index block = d + 1;
  Vector gradient = Vector::Zero(d);
  Vector u(d);
  Vector scratch(d);
  Matrix pull(block, block);
  for (Index j = 0; j < scaled_points.cols(); ++j) {
    for (Index i = j + 1; i < scaled_points.cols(); ++i) {
      u = scaled_points.col(i) - scaled_points.col(j);
      const double s = u.squaredNorm();
      if (!(s < largest_distance)) continue;
      for (Index c = 0; c < block; ++c) {
        const double share = a(j * block + c) / signal_variance;
        pull.col(c) =
            share * a.segment(i * block, block) - inverse.col(j * block + c).segment(i * block, block);
      }
      add_block_gradient(radial(family, s), u, pull, scratch, gradient);
    }
  }
  return gradient;
}

}  // namespace

// In scaled units y~ = (f, l g), so that with C the correlations and r = y~ - m u,
//   log p = -N/2 log(2 pi signal_variance) - r'C^-1 r / (2 signal_variance) - log|C| / 2 + n sum_j log l_j.
ProfiledLikelihood joint_likelihood(CovarianceFamily family, const Vector& lengthscales,
                                    const JointData& data, double relative_jitter) {
  const Index d = lengthscales.size();
  const ProfiledLikelihood impossible{-infinity, Vector::Zero(d), 0, 0};
  const auto n = static_cast<double>(data.values.size());
  const Matrix scaled_points = lengthscales.cwiseInverse().asDiagonal() * data.points;
  const Matrix right = right_hand_sides(data, lengthscales);
  const auto rows = static_cast<double>(right.rows());

  Matrix work = correlations(family, scaled_points, relative_jitter);
  Eigen::LLT<Eigen::Ref<Matrix>> factor(work);
  if (factor.info() != Eigen::Success) return impossible;
  const double log_determinant = 2 * work.diagonal().array().log().sum();
  const Matrix solved = factor.solve(right);
  const double prior_mean = right.col(1).dot(solved.col(0)) / right.col(1).dot(solved.col(1));
  const Vector a = solved.col(0) - prior_mean * solved.col(1);
  const double fitted = a.dot(right.col(0) - prior_mean * right.col(1)) / rows;
  const double signal_variance = std::fmax(fitted, smallest_variance);

  ProfiledLikelihood likelihood{0, Vector(), prior_mean, signal_variance};
  likelihood.value = -0.5 * rows * (log_two_pi + std::log(signal_variance) + fitted / signal_variance) -
                     0.5 * log_determinant + n * lengthscales.array().log().sum();
  if (!std::isfinite(likelihood.value)) return impossible;

  invert_from_factor(work);
  likelihood.gradient = correlation_gradient(family, scaled_points, work, a, signal_variance);
  const auto by_point = a.reshaped(d + 1, data.values.size()).bottomRows(d);
  const auto slopes = right.col(0).reshaped(d + 1, data.values.size()).bottomRows(d);
  likelihood.gradient +=
      (n - (by_point.cwiseProduct(slopes)).rowwise().sum().array() / signal_variance).matrix();
  return likelihood;
}

}  // namespace hunch
