// Lanes: four doubles handled at once, and the exponential of them.
#pragma once

#include "hunch/core/types.hpp"

namespace hunch {

// Four doubles that need no more than a double's alignment: one AVX register, or two SSE2 ones.
inline constexpr Index lane_width = 4;
typedef double Lane __attribute__((vector_size(8 * lane_width), aligned(8), may_alias));

inline Lane* lanes_at(double* p) {
  return reinterpret_cast<Lane*>(p);
}
inline const Lane* lanes_at(const double* p) {
  return reinterpret_cast<const Lane*>(p);
}

typedef long long LaneBits __attribute__((vector_size(8 * lane_width), aligned(8), may_alias));

inline double sum_of(const Lane& lane) {
  const Lane halves = lane + __builtin_shuffle(lane, LaneBits{2, 3, 0, 1});
  return halves[0] + halves[1];
}

// The length of a column that is padded to whole lanes: what is computed of an entry then has the same bits
// wherever the entry stands.
inline Index whole_lanes(Index n) {
  return (n + lane_width - 1) / lane_width * lane_width;
}

// x becomes e^x, for -700 <= x <= 0, to two units in the last place: 2^k e^r with |r| <= log(2) / 2, e^r by
// its series. In place: without AVX a lane that is returned has another ABI.
inline void exponentiate(Lane& x) {
  constexpr double to_integer = 6755399441055744.0;  // 1.5 * 2^52: what is added to it is rounded
  const Lane shifted = x * 1.4426950408889634 + to_integer;
  const Lane k = shifted - to_integer;
  const Lane r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
  const Lane r2 = r * r;
  const Lane r4 = r2 * r2;
  const Lane low = (1 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
  const Lane middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  const Lane high = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
  const Lane top = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
  const Lane series = low + r4 * (middle + r4 * (high + r4 * top));
  // k sits in the lowest bits of `shifted`: moved up, it is added to the exponent.
  x = reinterpret_cast<Lane>(reinterpret_cast<LaneBits>(series) +
                             (reinterpret_cast<LaneBits>(shifted) << 52));
}

}  // namespace hunch
