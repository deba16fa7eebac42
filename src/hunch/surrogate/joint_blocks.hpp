// JointBlocks: the covariances between values and gradients of one stationary field, in scaled units.
//
// Scaled units: inputs divided by their lengthscales, gradients multiplied by them, signal variance one. Then
// all blocks are those of an isotropic field with lengthscale one, whatever the original units were.
// With u = x - z and phi' the derivative with respect to s = u'u:
//   cov(f(x), f(z))   = phi            cov(f(x), g_k(z)) = -2 phi' u_k
//   cov(g_j(x), f(z)) = 2 phi' u_j     cov(g_j(x), g_k(z)) = -2 phi' [j = k] - 4 phi'' u_j u_k
#pragma once

#include "hunch/surrogate/covariance.hpp"
#include "hunch/surrogate/lower_factor.hpp"

namespace hunch {

// Whether scaled numbers are data: beyond 1e100 their squares, and sums of them, would overflow.
bool is_usable(const Vector& scaled);

// phi and its first two derivatives at all points (columns), seen from z; zero where phi is below 1e-100.
struct RadialArrays {
  Eigen::ArrayXd phi;
  Eigen::ArrayXd d1;
  Eigen::ArrayXd d2;
};
RadialArrays radial_arrays(CovarianceFamily family, const Eigen::Ref<const Matrix>& points, const Vector& z);

// Writes cov((f, g) at every point, (f, g) at z) into d + 1 columns of the panel from `column` on; its rows
// are ordered point by point, (f, g_1 .. g_d).
void fill_cross_block(CovarianceFamily family, const Eigen::Ref<const Matrix>& points, const Vector& z,
                      RowMatrix& panel, Index column);

// Adds sum over the block of pull(r, c) * d cov(r, c) / d log l_j, for all j. The block is that of one pair
// of points, u their scaled difference, `at` phi there; `both` is room to work in.
void add_block_gradient(const Radial& at, const Vector& u, const Matrix& pull, Vector& both,
                        Vector& gradient);

}  // namespace hunch
