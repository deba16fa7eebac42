#include "hunch/problems/prior_start.hpp"

namespace hunch {

Vector prior_start(const Parameters& parameters, Rng& rng) {
  Vector start(parameters.dimension());
  for (Index i = 0; i < start.size(); ++i) {
    const Prior& prior = parameters.list()[static_cast<std::size_t>(i)].prior;
    const double u = rng.uniform();
    start[i] = is_proper(prior) ? quantile_position(prior, u) : 4 * u - 2;
  }
  return start;
}

Vector prior_spread(const Parameters& parameters) {
  Vector spread(parameters.dimension());
  for (Index i = 0; i < spread.size(); ++i)
    spread[i] = prior_spread(parameters.list()[static_cast<std::size_t>(i)].prior).width;
  return spread;
}

}  // namespace hunch
