#include "hunch/diagnostics/ranks.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "hunch/core/rng.hpp"
#include "hunch/diagnostics/pooled.hpp"

namespace hunch {

Matrix split_chains(const Matrix& x) {
  if (x.rows() < 2) return x;
  const Index half = x.rows() / 2;
  Matrix out(half, 2 * x.cols());
  out << x.topRows(half), x.bottomRows(half);
  return out;
}

Matrix normal_scores(const Matrix& x) {
  if (x.hasNaN()) return Matrix::Constant(x.rows(), x.cols(), std::numeric_limits<double>::quiet_NaN());
  const auto count = static_cast<std::size_t>(x.size());
  std::vector<std::pair<double, Index>> sorted(count);
  for (std::size_t i = 0; i < count; ++i) sorted[i] = {x.data()[i], static_cast<Index>(i)};
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  Matrix scores(x.rows(), x.cols());
  std::size_t first = 0;
  while (first < count) {
    std::size_t end = first + 1;
    while (end < count && sorted[end].first == sorted[first].first) ++end;
    const double rank = (static_cast<double>(first + 1) + static_cast<double>(end)) / 2;
    const double score = normal_quantile((rank - 0.375) / (static_cast<double>(count) + 0.25));
    for (; first < end; ++first) scores.data()[sorted[first].second] = score;
  }
  return scores;
}

Matrix folded(const Matrix& x) {
  const double centre = median(x).value_or(std::numeric_limits<double>::quiet_NaN());
  return (x.array() - centre).abs();
}

}  // namespace hunch
