#include "hunch/surrogate/growing_cholesky.hpp"

#include <cmath>

#include "hunch/surrogate/column_solve.hpp"
#include "hunch/surrogate/panel.hpp"

namespace hunch {

namespace {
// Up to this many columns are solved for two at a time; more by Eigen, in blocks.
constexpr Index narrow = 4;
}  // namespace

void GrowingCholesky::reserve(Index rows) {
  if (rows <= rows_.rows()) return;
  // Growing by an eighth keeps copying far below the cost of the rows that fill it. The stride is an odd
  // number of cache lines, so that neighbouring rows do not compete for the same cache sets.
  const Index capacity = (rows + rows / 8 + 16) / 16 * 16 + 8;
  RowMatrix larger(capacity, capacity);
  larger.topLeftCorner(size_, size_) = rows_.topLeftCorner(size_, size_);
  rows_.swap(larger);
}

std::vector<Index> GrowingCholesky::offer(Matrix cross, const Matrix& among, double floor) {
  const Index before = size_;
  const Index candidates = among.rows();
  reserve(before + candidates);
  solve_lower(cross);
  Matrix schur = among;
  schur.noalias() -= cross.transpose() * cross;
  std::vector<Index> admitted;
  for (Index j = 0; j < candidates; ++j) {
    const Index count = size_ - before;
    auto within = rows_.row(size_).segment(before, count);
    for (Index p = 0; p < count; ++p) {
      const auto other = rows_.row(before + p).segment(before, p);
      const double rest = schur(j, admitted[static_cast<std::size_t>(p)]) - within.head(p).dot(other);
      within(p) = rest / rows_(before + p, before + p);
    }
    const double variance = schur(j, j) - within.squaredNorm();
    if (!(variance > floor) || !std::isfinite(variance)) continue;
    rows_.row(size_).head(before) = cross.col(j).transpose();
    rows_(size_, size_) = std::sqrt(variance);
    admitted.push_back(j);
    ++size_;
  }
  return admitted;
}

void GrowingCholesky::append(const RowMatrix& solved, const Matrix& corner) {
  const Index added = corner.rows();
  reserve(size_ + added);
  rows_.block(size_, 0, added, size_) = solved.leftCols(added).transpose();
  rows_.block(size_, size_, added, added) = corner.triangularView<Eigen::Lower>();
  size_ += added;
}

void GrowingCholesky::solve_lower(Eigen::Ref<Matrix> rhs) const {
  if (rhs.cols() <= narrow) return solve_lower_columns(factor(), rhs);
  rows_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().solveInPlace(rhs);
}

void GrowingCholesky::solve_lower_panel(RowMatrix& panel) const {
  hunch::solve_lower_panel(factor(), panel);
}

void GrowingCholesky::solve_upper(Eigen::Ref<Matrix> rhs) const {
  if (rhs.cols() <= narrow) return solve_upper_columns(factor(), rhs);
  rows_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().transpose().solveInPlace(rhs);
}

}  // namespace hunch
