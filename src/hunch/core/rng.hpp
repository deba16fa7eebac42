// Rng: addressed randomness. The same address gives the same numbers, whatever else ran before or beside it.
#pragma once

#include <array>
#include <cstdint>

#include "hunch/core/types.hpp"

namespace hunch {

// What a stream of numbers is for; part of its address, so that no two uses share numbers.
enum class Purpose : std::uint32_t {
  step = 1,
  start = 2,
  initial_points = 3,
  data = 4,
  fit = 5,
  pilot = 6,
  test = 7,
  survey = 8,  // free walks on a surrogate, and what is chosen from them
  inner = 9,   // the free steps of a surrogate transition
  audit = 10,
};

struct Address {
  std::uint64_t seed;
  std::uint32_t chain;
  std::uint64_t iteration;
  Purpose purpose;
};

class Rng {
 public:
  explicit Rng(Address address);

  std::uint64_t bits();
  double uniform();  // in the open interval (0, 1), 53 bits
  double normal();   // one uniform each, by the inverse normal distribution function
  Vector normal(Index n);
  std::uint64_t below(std::uint64_t n);  // uniform on 0 .. n-1

 private:
  // Philox4x64-10: key (seed, purpose and chain), counter (block, iteration, 0, 0).
  std::array<std::uint64_t, 2> key_;
  std::uint64_t iteration_;
  std::uint64_t next_block_ = 0;
  std::array<std::uint64_t, 4> buffer_{};
  unsigned used_ = 4;
};

// Phi^-1(p) for p in (0, 1); relative error about 1e-16 (Wichura's algorithm AS 241, PPND16).
double normal_quantile(double p);

}  // namespace hunch
