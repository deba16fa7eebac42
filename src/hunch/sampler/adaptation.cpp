#include "hunch/sampler/adaptation.hpp"

#include <cmath>

namespace hunch {

namespace {

Index dimension(const Proposal& proposal) {
  if (const auto* walk = std::get_if<RandomWalk>(&proposal)) return walk->scales.size();
  return std::get<Langevin>(proposal).lambda.size();
}

}  // namespace

Adaptation::Adaptation(Proposal initial, AdaptationOptions options)
    : options_(options),
      initial_(initial),
      shape_(initial),
      proposal_(std::move(initial)),
      next_reshape_(options.spread_from),
      mean_(Vector::Zero(dimension(shape_))),
      squares_(Vector::Zero(dimension(shape_))) {}

void Adaptation::observe(const Vector& position, const StepInfo& info) {
  ++iterations_;
  // Robbins-Monro on the log scale: the gain falls slowly enough to reach any scale, fast enough to settle.
  const double gain = 1.0 / std::pow(static_cast<double>(iterations_) + 1.0, 0.6);
  const double accepted = info.verdict == Verdict::accepted ? 1 : 0;
  log_factor_ += gain * (accepted - options_.target_acceptance);

  ++counted_;
  const Vector step = position - mean_;
  mean_ += step / static_cast<double>(counted_);
  squares_ += step.cwiseProduct(position - mean_);
  if (options_.reshape == Reshape::by_spread && iterations_ == next_reshape_) {
    shape_ = reshaped();
    next_reshape_ *= 2;
    counted_ = 0;
    mean_.setZero();
    squares_.setZero();
  }
  proposal_ = scaled(shape_, std::exp(log_factor_));
}

// The chain's spread gives the directions' relative sizes; the overall size stays what acceptance made it.
Proposal Adaptation::reshaped() const {
  const Vector spread = (squares_ / static_cast<double>(counted_)).cwiseSqrt();
  if (!(spread.minCoeff() > 0)) return shape_;
  if (const auto* walk = std::get_if<RandomWalk>(&shape_)) {
    const double size = (walk->scales.array() / spread.array()).log().mean();
    return RandomWalk{std::exp(size) * spread};
  }
  const auto& langevin = std::get<Langevin>(shape_);
  const Vector variance = spread.cwiseAbs2();
  const double size = (langevin.lambda.array() / variance.array()).log().mean();
  return Langevin{langevin.delta, std::exp(size) * variance};
}

}  // namespace hunch
