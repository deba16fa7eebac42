#include "hunch/explore/search_prior.hpp"

#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

namespace {

constexpr double farthest_sds = 7;  // a normal prior holds all but 3e-12 within these
constexpr double left_out =
    1e-12;  // of other priors, at either end: a simulator may not survive what nobody believes

}  // namespace

SearchPrior::SearchPrior(const Parameters& parameters, const PriorBox& box)
    : parameters_(parameters),
      box_(box),
      lowest_(Vector::Constant(box.centre.size(), -infinity)),
      highest_(Vector::Constant(box.centre.size(), infinity)) {
  for (Index j = 0; j < lowest_.size(); ++j) {
    const Prior& prior = parameters.list()[static_cast<std::size_t>(j)].prior;
    if (!is_proper(prior)) continue;
    const auto z = [&](double share) {
      return (quantile_position(prior, share) - box.centre[j]) / box.width[j];
    };
    lowest_[j] = std::max(-farthest_sds, z(left_out));
    highest_[j] = std::min(farthest_sds, z(1 - left_out));
  }
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
  for (Index j = 0; j < to.size(); ++j) {
    const double end = std::clamp(to[j], lowest_[j], highest_[j]);
    if (end != to[j]) share = std::min(share, (end - from[j]) / way[j]);
  }
  return from + std::max(0.0, share) * way;
}

}  // namespace hunch
