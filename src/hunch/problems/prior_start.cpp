#include "hunch/problems/prior_start.hpp"

namespace hunch {

Vector prior_start(const Parameters& parameters, Rng& rng) {
  const Index d = parameters.dimension();
  // Any theta inside the support where the prior is improper; its position is replaced below.
  Vector inside(d), drawn(d);
  for (Index i = 0; i < d; ++i) {
    const Prior& prior = parameters.list()[static_cast<std::size_t>(i)].prior;
    const double u = rng.uniform();
    drawn[i] = u;
    inside[i] = is_proper(prior) ? quantile(prior, u) : parameters.theta(Vector::Zero(d))[i];
  }
  Vector position = parameters.position(inside);
  for (Index i = 0; i < d; ++i)
    if (!is_proper(parameters.list()[static_cast<std::size_t>(i)].prior)) position[i] = 4 * drawn[i] - 2;
  return position;
}

Vector prior_spread(const Parameters& parameters) {
  const Index d = parameters.dimension();
  Vector low(d), high(d);
  std::vector<bool> proper;
  for (Index i = 0; i < d; ++i) {
    const Prior& prior = parameters.list()[static_cast<std::size_t>(i)].prior;
    proper.push_back(is_proper(prior));
    low[i] = proper.back() ? quantile(prior, 0.16) : parameters.theta(Vector::Zero(d))[i];
    high[i] = proper.back() ? quantile(prior, 0.84) : low[i];
  }
  Vector spread = 0.5 * (parameters.position(high) - parameters.position(low));
  for (Index i = 0; i < d; ++i)
    if (!proper[static_cast<std::size_t>(i)]) spread[i] = 1;
  return spread;
}

}  // namespace hunch
