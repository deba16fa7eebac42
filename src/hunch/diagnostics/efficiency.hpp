// Efficiency: how far a chain moves, and how many evaluations the screening saved.
#pragma once

#include <cstdint>

#include "hunch/core/types.hpp"

namespace hunch {

// Mean squared jump of each parameter between consecutive draws of one chain (draws x parameters, at least
// two draws); rejections count as jumps of length zero. The sum over parameters estimates E|x' - x|^2.
Vector esjd(const Matrix& chain);

// What became of a two-stage sampler's iterations: each was screened out for free or evaluated, and some of
// the evaluated were accepted. A rate of nothing is NaN.
struct StageCounts {
  std::int64_t iterations = 0;
  std::int64_t screened_out = 0;
  std::int64_t evaluated = 0;
  std::int64_t accepted = 0;

  double acceptance_rate() const;          // accepted among all iterations
  double stage1_rate() const;              // survivors among all iterations
  double stage2_rate() const;              // accepted among survivors
  double evaluation_percent() const;       // 100 * stage1_rate: the price, a one-stage sampler's being 100
  std::int64_t evaluations_saved() const;  // against a one-stage sampler, which evaluates at every iteration

  StageCounts& operator+=(const StageCounts& other);
};

}  // namespace hunch
