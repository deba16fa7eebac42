#include "hunch/sampler/proposal.hpp"

#include <cmath>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

Vector drift_end(const Langevin& langevin, const Vector& from, const Vector& gradient) {
  return from + 0.5 * langevin.delta * langevin.lambda.cwiseProduct(gradient);
}

}  // namespace

Vector propose(const Proposal& proposal, const State& from, Rng& rng) {
  const Vector z = rng.normal(from.position.size());
  if (const auto* walk = std::get_if<RandomWalk>(&proposal)) {
    const Vector step = walk->scales.cwiseProduct(z);
    if (walk->directions.size() == 0) return from.position + step;
    return from.position + walk->directions * step;
  }
  const auto& langevin = std::get<Langevin>(proposal);
  return drift_end(langevin, from.position, *from.exact.gradient + from.prior.gradient) +
         (langevin.delta * langevin.lambda).cwiseSqrt().cwiseProduct(z);
}

double log_proposal(const Proposal& proposal, const State& from, const Vector& to) {
  const auto* langevin = std::get_if<Langevin>(&proposal);
  if (langevin == nullptr) return 0;
  const Vector miss = to - drift_end(*langevin, from.position, *from.exact.gradient + from.prior.gradient);
  const Vector variance = langevin->delta * langevin->lambda;
  return -0.5 * (miss.array().square() / variance.array() + variance.array().log() + log_two_pi).sum();
}

Proposal scaled(const Proposal& proposal, double factor) {
  if (const auto* walk = std::get_if<RandomWalk>(&proposal))
    return RandomWalk{factor * walk->scales, walk->directions};
  const auto& langevin = std::get<Langevin>(proposal);
  return Langevin{factor * factor * langevin.delta, langevin.lambda};
}

double log_expected_flow(const Langevin& langevin, const JointGaussian& belief, const Vector& from,
                         const Vector& log_prior_gradient, const Vector& to) {
  const Vector half_step = 0.5 * langevin.delta * langevin.lambda;
  Matrix variance = half_step.asDiagonal() * belief.covariance_gg * half_step.asDiagonal();
  variance.diagonal() += langevin.delta * langevin.lambda;
  const Vector shifted_gradient = belief.mean_g + belief.covariance_gh + log_prior_gradient;
  const Vector miss = to - drift_end(langevin, from, shifted_gradient);
  const Eigen::LLT<Matrix> factor(variance);
  const double log_determinant = 2 * factor.matrixLLT().diagonal().array().log().sum();
  return belief.mean_h + 0.5 * belief.variance_h - 0.5 * factor.matrixL().solve(miss).squaredNorm() -
         0.5 * log_determinant - 0.5 * log_two_pi * static_cast<double>(miss.size());
}

}  // namespace hunch
