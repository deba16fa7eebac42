// AdmittingCholesky: the lower Cholesky factor of a covariance matrix that gains rows, and refuses redundant
// ones.
#pragma once

#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

class AdmittingCholesky {
 public:
  Index size() const { return size_; }

  // Offers candidates, in order. `cross` (size x b) is their covariance with the rows already here, `among`
  // (b x b) with each other. A candidate is admitted iff its variance given everything admitted before it
  // exceeds `floor`; the rest leave no trace. Returns which were admitted. Cost: size^2 * b.
  std::vector<Index> offer(Matrix cross, const Matrix& among, double floor);

  // Row i of the factor, up to and including its diagonal.
  auto row(Index i) const { return rows_.row(i).head(i + 1); }

  // In place: rhs becomes L^-1 rhs, or L^-T rhs. Each column of a narrow rhs (up to four) gets the same bits
  // whatever stands beside it.
  void solve_lower(Eigen::Ref<Matrix> rhs) const;
  void solve_upper(Eigen::Ref<Matrix> rhs) const;

 private:
  void reserve(Index rows);
  template <int columns>
  void solve_lower_narrow(double* const (&x)[columns]) const;
  template <int columns>
  void solve_upper_narrow(double* const (&x)[columns]) const;

  // The factor fills the lower triangle of the first size_ rows; the rest is room to grow. Rows are
  // contiguous: appending writes one stretch of memory and a triangular solve streams through the factor
  // once.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows_;
  Index size_ = 0;
};

}  // namespace hunch
