#include "hunch/surrogate/joint_blocks.hpp"

#include <cmath>

namespace hunch {

namespace {
// Squared distances past which a correlation is below 1e-100 and taken as zero: it could only breed
// subnormals.
constexpr double squared_exponential_reach = 460;
constexpr double matern_reach = 1.15e4;
}  // namespace

bool is_usable(const Vector& scaled) {
  return (scaled.array().abs() <= 1e100).all();
}

RadialArrays radial_arrays(CovarianceFamily family, const Eigen::Ref<const Matrix>& points, const Vector& z) {
  const Eigen::ArrayXd s = (points.colwise() - z).colwise().squaredNorm().transpose();
  RadialArrays out;
  if (family == CovarianceFamily::squared_exponential) {
    out.phi = (s < squared_exponential_reach).select((-0.5 * s).exp(), 0.0);
    out.d1 = -0.5 * out.phi;
    out.d2 = 0.25 * out.phi;
  } else {
    const Eigen::ArrayXd root = (5.0 * s.min(matern_reach)).sqrt();
    const Eigen::ArrayXd decay = (s < matern_reach).select((-root).exp(), 0.0);
    out.phi = (1 + root + root.square() / 3) * decay;
    out.d1 = -(5.0 / 6.0) * (1 + root) * decay;
    out.d2 = (25.0 / 12.0) * decay;
  }
  return out;
}

void fill_cross_block(CovarianceFamily family, const Eigen::Ref<const Matrix>& points, const Vector& z,
                      RowMatrix& panel, Index column) {
  const Index d = points.rows();
  const Index stride = panel.outerStride();
  const RadialArrays at = radial_arrays(family, points, z);
  for (Index i = 0; i < points.cols(); ++i) {
    const double* point = points.data() + i * points.outerStride();
    const double slope = 2 * at.d1(i);
    const double bend = -4 * at.d2(i);
    double* value_row = panel.data() + i * (d + 1) * stride + column;
    value_row[0] = at.phi(i);
    for (Index k = 0; k < d; ++k) value_row[k + 1] = -slope * (point[k] - z(k));
    for (Index j = 0; j < d; ++j) {
      double* row = value_row + (j + 1) * stride;
      const double u = point[j] - z(j);
      row[0] = slope * u;
      // The product of the two differences comes first: it rounds the same when j and k, or x and z, are
      // swapped.
      for (Index k = 0; k < d; ++k) row[k + 1] = (u * (point[k] - z(k))) * bend;
      row[j + 1] -= slope;
    }
  }
}

// From u_j -> -u_j and s -> -2 u_j^2 per unit of log l_j, applied to the formulas of joint_blocks.hpp.
// Written as loops: it runs for every pair, and must not allocate.
void add_block_gradient(const Radial& at, const Vector& u, const Matrix& pull, Vector& both,
                        Vector& gradient) {
  const Index d = u.size();
  double trace = 0;
  double along = 0;
  double bent = 0;
  for (Index j = 0; j < d; ++j) {
    double sum = 0;
    for (Index k = 0; k < d; ++k) sum += (pull(j + 1, k + 1) + pull(k + 1, j + 1)) * u(k);
    both(j) = sum;
    bent += 0.5 * sum * u(j);
    trace += pull(j + 1, j + 1);
    along += (pull(j + 1, 0) - pull(0, j + 1)) * u(j);
  }
  const double common = -2 * at.d1 * pull(0, 0) + 4 * at.d2 * (trace - along) + 8 * at.d3 * bent;
  for (Index j = 0; j < d; ++j) {
    const double own = -2 * at.d1 * (pull(j + 1, 0) - pull(0, j + 1)) + 4 * at.d2 * both(j);
    gradient(j) += u(j) * (common * u(j) + own);
  }
}

}  // namespace hunch
