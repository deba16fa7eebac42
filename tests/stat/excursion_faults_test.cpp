// The rank test can fail for excursions too: with one deliberate bug each they are caught by it, at the same
// size and level.
#include <gtest/gtest.h>

#include <algorithm>

#include "hunch/core/numeric.hpp"
#include "stat/surrogate_densities.hpp"

namespace hunch::stat {
namespace {

enum class Fault {
  none,                       // the same code without a bug, to show that it is the bug that is caught
  surrogate_forgotten,        // accepted with Pi(y) / Pi(x), as if the free steps had been symmetric
  surrogate_upside_down,      // accepted with G(y) / G(x)
  start_valued_by_another,    // G(x) kept from a surrogate that has changed since
  both_ends_valued_late,      // the free steps on one surrogate, G(x) / G(y) by the next
  prior_left_out_of_density,  // exp(s) instead of G in the last acceptance
  archive_drawn_towards,      // a difference step takes the walker towards a column, not along a difference
  stopped_on_moving,          // the number of free steps depends on their path
  kinetic_energy_left_out,    // trajectories accepted by the density alone
  last_half_kick_left_out,    // trajectories that are not their own reverse
};

bool flies(Fault fault) {
  return fault == Fault::kinetic_energy_left_out || fault == Fault::last_half_kick_left_out;
}

struct Walker {
  Vector position;
  double log_density;
};

void walk(Walker& walker, Fault fault, const SurrogateDensity& density, Rng& rng) {
  static const Matrix columns = archive();
  Vector there = walker.position + 0.15 * rng.normal(2);
  if (rng.uniform() < 0.5) {
    const Vector to = columns.col(static_cast<Index>(rng.below(5)));
    const Vector from = columns.col(static_cast<Index>(rng.below(5)));
    if (fault == Fault::archive_drawn_towards)
      there += 0.5 * (to - walker.position);
    else
      there += to - from;
  } else {
    there += 0.7 * rng.normal(2);
  }
  const double log_density = density.log_density(there);
  if (std::log(rng.uniform()) < log_density - walker.log_density) walker = {there, log_density};
}

void fly(Walker& walker, Fault fault, const SurrogateDensity& density, Rng& rng) {
  constexpr double step = 0.9;
  Vector position = walker.position, momentum = rng.normal(2), gradient(2);
  const double kinetic_before = 0.5 * momentum.squaredNorm();
  double log_density = density.log_density_and_gradient(position, gradient);
  for (int leap = 0; leap < 2; ++leap) {
    momentum += 0.5 * step * gradient;
    position += step * momentum;
    log_density = density.log_density_and_gradient(position, gradient);
    if (leap == 0 || fault != Fault::last_half_kick_left_out) momentum += 0.5 * step * gradient;
  }
  double log_ratio = log_density - walker.log_density;
  if (fault != Fault::kinetic_energy_left_out) log_ratio += kinetic_before - 0.5 * momentum.squaredNorm();
  if (std::log(rng.uniform()) < log_ratio) walker = {position, log_density};
}

enum class Inner { walk, flight };

// The more steps there are to be saved by stopping, the further astray it leads.
int free_steps(Fault fault, Inner inner) {
  if (inner == Inner::flight) return 1;
  return fault == Fault::stopped_on_moving ? 8 : 2;
}

// An excursion and its settling, written out so that each line can be spoilt.
Step spoilt_excursion(Fault fault, Inner inner) {
  return [=, density = density_of("bad"), other = density_of("pessimist")](const State& state, Rng& rng) {
    const Walker start{state.position, density.log_density(state.position)};
    Walker walker = start;
    for (int j = 0; j < free_steps(fault, inner); ++j) {
      if (inner == Inner::flight)
        fly(walker, fault, density, rng);
      else
        walk(walker, fault, density, rng);
      if (fault == Fault::stopped_on_moving && walker.position != start.position) break;
    }
    const double log_uniform = std::log(rng.uniform());
    if (walker.position == start.position) return state;
    const State y{walker.position, Banana::prior_at(walker.position), Banana::exact(walker.position)};

    double from = start.log_density, to = walker.log_density;
    if (fault == Fault::start_valued_by_another || fault == Fault::both_ends_valued_late)
      from = other.log_density(state.position);
    if (fault == Fault::both_ends_valued_late) to = other.log_density(y.position);
    if (fault == Fault::prior_left_out_of_density) {
      from -= state.prior.log_density;
      to -= y.prior.log_density;
    }
    double surrogate = from - to;
    if (fault == Fault::surrogate_forgotten) surrogate = 0;
    if (fault == Fault::surrogate_upside_down) surrogate = -surrogate;
    const double log_ratio = y.exact.log_likelihood + y.prior.log_density - state.exact.log_likelihood -
                             state.prior.log_density + surrogate;
    return log_uniform < log_ratio ? y : state;
  };
}

struct Planted {
  std::string name;
  Fault fault;
};

class CatchesExcursion : public testing::TestWithParam<Planted> {};

TEST_P(CatchesExcursion, ThatIsSpoilt) {
  const Fault fault = GetParam().fault;
  const Chi2 chi2 = rank_test(spoilt_excursion(fault, flies(fault) ? Inner::flight : Inner::walk),
                              940 + static_cast<int>(fault));
  EXPECT_GT(*std::max_element(chi2.begin(), chi2.end()), chi2_critical);
}

INSTANTIATE_TEST_SUITE_P(RankTest, CatchesExcursion,
                         testing::Values(Planted{"surrogate_forgotten", Fault::surrogate_forgotten},
                                         Planted{"surrogate_upside_down", Fault::surrogate_upside_down},
                                         Planted{"start_valued_by_another", Fault::start_valued_by_another},
                                         Planted{"both_ends_valued_late", Fault::both_ends_valued_late},
                                         Planted{"prior_left_out_of_density",
                                                 Fault::prior_left_out_of_density},
                                         Planted{"archive_drawn_towards", Fault::archive_drawn_towards},
                                         Planted{"stopped_on_moving", Fault::stopped_on_moving},
                                         Planted{"kinetic_energy_left_out", Fault::kinetic_energy_left_out},
                                         Planted{"last_half_kick_left_out", Fault::last_half_kick_left_out}),
                         [](const auto& planted) { return planted.param.name; });

TEST(RankTest, PassesTheWrittenOutExcursions) {
  for (const Inner inner : {Inner::walk, Inner::flight}) {
    const Chi2 chi2 = rank_test(spoilt_excursion(Fault::none, inner), inner == Inner::walk ? 938 : 939);
    EXPECT_LT(*std::max_element(chi2.begin(), chi2.end()), chi2_critical);
  }
}

}  // namespace
}  // namespace hunch::stat
