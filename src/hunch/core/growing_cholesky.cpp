#include "hunch/core/growing_cholesky.hpp"

#include <cmath>

namespace hunch {

namespace {
// More columns than this are solved for by Eigen, in blocks.
constexpr Index narrow = 64;
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

std::vector<Index> GrowingCholesky::offer(Matrix cross, const Matrix& among, Index group, double floor) {
  const Index before = size_;
  reserve(before + among.rows());
  solve_lower(cross);
  Matrix schur = among;
  schur.noalias() -= cross.topRows(before).transpose() * cross.topRows(before);
  std::vector<Index> admitted;
  std::vector<Index> candidates;  // whose rows stand at `before` and after
  for (Index first = 0; first < among.rows(); first += group) {
    if (append(first, group, before, cross, schur, among, floor, candidates)) {
      admitted.push_back(first);
      continue;
    }
    candidates.resize(admitted.size() * static_cast<std::size_t>(group));
    size_ = before + static_cast<Index>(candidates.size());
  }
  return admitted;
}

bool GrowingCholesky::append(Index first, Index group, Index before, const Matrix& cross, const Matrix& schur,
                             const Matrix& among, double floor, std::vector<Index>& candidates) {
  for (Index j = first; j < first + group; ++j) {
    const Index count = size_ - before;
    auto within = rows_.row(size_).segment(before, count);
    for (Index p = 0; p < count; ++p) {
      const auto other = rows_.row(before + p).segment(before, p);
      const double rest = schur(j, candidates[static_cast<std::size_t>(p)]) - within.head(p).dot(other);
      within(p) = rest / rows_(before + p, before + p);
    }
    const double variance = schur(j, j) - within.squaredNorm();
    const double least = j == first ? floor * among(j, j) : 0;
    if (!(variance > least) || !std::isfinite(variance)) return false;
    rows_.row(size_).head(before) = cross.col(j).head(before).transpose();
    rows_(size_, size_) = std::sqrt(variance);
    candidates.push_back(j);
    ++size_;
  }
  return true;
}

void GrowingCholesky::solve_lower(Eigen::Ref<Matrix> rhs) const {
  if (rhs.cols() <= narrow) return hunch::solve_lower(factor(), rhs);
  rows_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().solveInPlace(rhs.topRows(size_));
}

}  // namespace hunch
