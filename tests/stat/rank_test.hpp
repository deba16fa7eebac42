// The exact rank test (Gandy and Scott): does a kernel leave its target alone?
//
// x_0 is drawn exactly from the target and placed at a random one of L = 10 times; the kernel, being
// reversible, fills the times before and after it, three steps apart. If the kernel is invariant the rank of
// f(x_0) among the L values is uniform, whatever the mixing; chi-squared with 9 degrees of freedom
// exceeds 39.3 with probability 1e-5.
#pragma once

#include <array>
#include <cmath>
#include <functional>

#include "hunch/core/rng.hpp"
#include "hunch/sampler/two_stage.hpp"

namespace hunch::stat {

inline constexpr double chi2_critical = 39.3;  // 9 degrees of freedom, false-alarm rate 1e-5
inline constexpr int replicates = 64000;

// A banana that can be drawn exactly, split into a prior, x ~ N(.2, 1/2) (y flat), and a likelihood, -2 (y -
// x^2)^2.
struct Banana {
  static PriorAt prior_at(const Vector& z) {
    return {-(z[0] - 0.2) * (z[0] - 0.2), Vector{{-2 * (z[0] - 0.2), 0.0}}};
  }
  static Exact exact(const Vector& z) {
    const double miss = z[1] - z[0] * z[0];
    return {-2 * miss * miss, Vector{{8 * z[0] * miss, -4 * miss}}};
  }
  static State draw(Rng& rng) {
    const double x = 0.2 + std::sqrt(0.5) * rng.normal();
    const Vector z{{x, x * x + 0.5 * rng.normal()}};
    return {z, prior_at(z), exact(z)};
  }
};

using Step = std::function<State(const State&, Rng&)>;
inline constexpr int statistics = 3;
using Chi2 = std::array<double, statistics>;

// What is ranked: a squared coordinate, the log-likelihood, a distance.
inline std::array<double, statistics> features(const State& state) {
  const Vector& z = state.position;
  return {z[0] * z[0], state.exact.log_likelihood, std::hypot(z[0] - 1, z[1] - 1)};
}

inline Chi2 rank_test(const Step& step, std::uint32_t stream) {
  constexpr int length = 10, thin = 3;
  std::array<std::array<int, length>, statistics> counts{};
  for (int r = 0; r < replicates; ++r) {
    Rng rng({2026, stream, static_cast<std::uint64_t>(r), Purpose::test});
    const State origin = Banana::draw(rng);
    const auto here = features(origin);
    std::array<int, statistics> less{}, equal{};
    const auto follow = [&](int times) {
      State state = origin;
      for (int t = 0; t < times; ++t) {
        for (int s = 0; s < thin; ++s) state = step(state, rng);
        const auto there = features(state);
        for (int f = 0; f < statistics; ++f) {
          less[f] += there[f] < here[f];
          equal[f] += there[f] == here[f];
        }
      }
    };
    const int before = static_cast<int>(rng.below(length));
    follow(before);
    follow(length - 1 - before);
    for (int f = 0; f < statistics; ++f) ++counts[f][less[f] + static_cast<int>(rng.below(equal[f] + 1))];
  }
  Chi2 chi2{};
  const double expected = static_cast<double>(replicates) / length;
  for (int f = 0; f < statistics; ++f)
    for (int count : counts[f]) chi2[f] += (count - expected) * (count - expected) / expected;
  return chi2;
}

}  // namespace hunch::stat
