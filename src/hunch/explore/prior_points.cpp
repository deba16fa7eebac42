#include "hunch/explore/prior_points.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "hunch/core/rng.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

PriorBox prior_box(const Parameters& parameters, const std::vector<Vector>& starts) {
  const Index d = parameters.dimension();
  PriorBox box{Vector(d), Vector(d)};
  for (Index j = 0; j < d; ++j) {
    const Prior& prior = parameters.list()[static_cast<std::size_t>(j)].prior;
    if (is_proper(prior)) {
      const PriorSpread spread = prior_spread(prior);
      box.centre[j] = spread.centre;
      box.width[j] = spread.width;
      continue;
    }
    double sum = 0;
    double squares = 0;
    for (const Vector& start : starts) sum += start[j];
    box.centre[j] = sum / static_cast<double>(starts.size());
    for (const Vector& start : starts) squares += std::pow(start[j] - box.centre[j], 2);
    box.width[j] = std::sqrt(squares / static_cast<double>(starts.size()));
    if (!(box.width[j] > 0)) box.width[j] = 1;
  }
  return box;
}

std::vector<Vector> fill_prior(const Parameters& parameters, const PriorBox& box, Index count,
                               std::uint64_t seed) {
  const Index d = parameters.dimension();
  std::vector<Vector> points(static_cast<std::size_t>(count), Vector(d));
  for (Index j = 0; j < d; ++j) {
    Rng rng({seed, static_cast<std::uint32_t>(j), 0, Purpose::initial_points});
    std::vector<Index> slice(static_cast<std::size_t>(count));
    std::iota(slice.begin(), slice.end(), 0);
    for (Index i = count - 1; i > 0; --i)
      std::swap(slice[static_cast<std::size_t>(i)], slice[rng.below(static_cast<std::uint64_t>(i + 1))]);
    const Prior& prior = parameters.list()[static_cast<std::size_t>(j)].prior;
    for (Index i = 0; i < count; ++i) {
      const double share = (static_cast<double>(slice[static_cast<std::size_t>(i)]) + rng.uniform()) /
                           static_cast<double>(count);
      points[static_cast<std::size_t>(i)][j] = is_proper(prior)
                                                   ? quantile_position(prior, share)
                                                   : box.centre[j] + box.width[j] * normal_quantile(share);
    }
  }
  return points;
}

}  // namespace hunch
