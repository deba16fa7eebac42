#include "hunch/explore/search_prior.hpp"

#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

namespace {

constexpr double farthest_sds = 7;  // a normal prior holds all but 3e-12 within these

}  // namespace

SearchPrior::SearchPrior(const Parameters& parameters, const PriorBox& box)
    : parameters_(parameters), box_(box), farthest_(box.centre.size()) {
  for (Index j = 0; j < farthest_.size(); ++j)
    farthest_[j] = is_proper(parameters.list()[static_cast<std::size_t>(j)].prior) ? farthest_sds : infinity;
}

Vector SearchPrior::gradient(const Vector& z) const {
  return to_z_gradient(parameters_.log_prior_gradient(position(z)));
}

Vector SearchPrior::curvatures(const Vector& z) const {
  constexpr double h = 1e-4;
  const Vector step = Vector::Constant(z.size(), h);
  return (gradient(z + step) - gradient(z - step)) / (2 * h);
}

Vector SearchPrior::shortened(const Vector& from, const Vector& to) const {
  const Vector way = to - from;
  double share = 1;
  for (Index j = 0; j < to.size(); ++j)
    if (std::abs(to[j]) > farthest_[j])
      share = std::min(share, (std::copysign(farthest_[j], way[j]) - from[j]) / way[j]);
  return from + std::max(0.0, share) * way;
}

}  // namespace hunch
