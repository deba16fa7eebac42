// Excursions, on every inner kernel and with good, bad, pessimistic and garbage frozen surrogates, leave
// their target alone.
#include <gtest/gtest.h>

#include <tuple>

#include "stat/surrogate_densities.hpp"

namespace hunch::stat {
namespace {

// Flights on the two rough surrogates take the most time by far: one of them is enough there.
Index free_steps(const std::string& kind, const std::string& quality) {
  return kind == "hamiltonian" && (quality == "bad" || quality == "pessimist") ? 1 : 2;
}

// Factors are lower triangular and neither the target's nor the surrogate's shape.
InnerKernel inner_kernel(const std::string& kind) {
  const Matrix factor{{0.7, 0.0}, {0.3, 0.6}};
  if (kind == "walk") return InnerWalk{factor, 1.4, Matrix(2, 0)};
  if (kind == "walk_with_archive") return InnerWalk{factor, 1.4, archive()};
  return InnerHamiltonian{factor, 0.8, 2};
}

Step kernel(const std::string& kind, const std::string& quality) {
  return [inner = inner_kernel(kind), density = density_of(quality), steps = free_steps(kind, quality)](
             const State& state, Rng& rng) {
    const Excursion away = excursion(state.position, inner, steps, density, rng);
    if (away.accepted == 0) return state;
    return settle(state, away, Banana::prior_at(away.position), Banana::exact(away.position)).state;
  };
}

using Configuration = std::tuple<std::string, std::string>;
class Excursions : public testing::TestWithParam<Configuration> {};

TEST_P(Excursions, LeaveTheTargetAlone) {
  const auto& [kind, quality] = GetParam();
  std::uint32_t stream = 0;
  for (char letter : kind + quality) stream = 31 * stream + static_cast<unsigned char>(letter);
  const Chi2 chi2 = rank_test(kernel(kind, quality), stream);
  for (int f = 0; f < statistics; ++f) EXPECT_LT(chi2[f], chi2_critical) << "statistic " << f;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Excursions,
                         testing::Combine(testing::Values("walk", "walk_with_archive", "hamiltonian"),
                                          testing::Values("good", "bad", "pessimist", "garbage")),
                         [](const auto& configuration) {
                           return std::get<0>(configuration.param) + "_" + std::get<1>(configuration.param);
                         });

// A test of chains that stand still would pass whatever the kernel did.
TEST_P(Excursions, MoveInTheRankTest) {
  const auto& [kind, quality] = GetParam();
  const Step step = kernel(kind, quality);
  constexpr int trials = 2000;
  int moved = 0;
  for (int r = 0; r < trials; ++r) {
    Rng rng({2027, 0, static_cast<std::uint64_t>(r), Purpose::test});
    const State from = Banana::draw(rng);
    moved += step(from, rng).position != from.position;
  }
  EXPECT_GT(moved, trials / 20);
}

}  // namespace
}  // namespace hunch::stat
