#include "hunch/report/regions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hunch {

std::vector<Region> regions_of(const std::vector<double>& at, const std::vector<double>& numbers, int most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (std::isfinite(at[i]) && std::isfinite(numbers[i])) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return at[a] < at[b]; });
  const std::size_t wanted = std::clamp<std::size_t>(order.size() / 8, 1, static_cast<std::size_t>(most));
  std::vector<Region> regions;
  std::size_t from = 0;
  for (std::size_t r = 0; r < wanted && from < order.size(); ++r) {
    std::size_t to = std::max(from + 1, order.size() * (r + 1) / wanted);
    while (to < order.size() && at[order[to]] == at[order[to - 1]]) ++to;  // equals stay together
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += numbers[order[i]];
    const auto count = static_cast<std::int64_t>(to - from);
    const double high = to < order.size() ? (at[order[to - 1]] + at[order[to]]) / 2 : at[order.back()];
    const double low = regions.empty() ? at[order.front()] : regions.back().range.high;
    regions.push_back({{low, high}, sum / static_cast<double>(count), count});
    from = to;
  }
  return regions;
}

double contrast(const std::vector<Region>& regions) {
  if (regions.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (const Region& region : regions) mean += region.mean / static_cast<double>(regions.size());
  for (const Region& region : regions) squares += std::pow(region.mean - mean, 2);
  return std::sqrt(squares / static_cast<double>(regions.size()));
}

}  // namespace hunch
