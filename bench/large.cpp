// What one iteration of gp-mh and gp-mala costs beside the likelihood when the surrogate holds n points, in
// the dense form and in the local one, and what a refit costs: one line of JSON for each case.
// Usage: bench_large gp-mh|gp-mala DIMENSION N dense|local|refit SEED
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <variant>

#include "bench/rippled_walk.hpp"
#include "hunch/sampler/two_stage.hpp"
#include "hunch/surrogate/emulator.hpp"

namespace {

using namespace hunch;
using namespace hunch::rippled;

constexpr double least_seconds = 0.3;  // measured for each case
constexpr std::uint32_t most_segments = 40;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Learning is what the Emulator does with a lesson: a prediction, to see whether it is known, and an append.
struct Surrogate {
  std::variant<GaussianProcess, LocalProcess> process;

  PairBelief pair(const Vector& x, const Vector& y) const {
    return std::visit([&](const auto& p) { return p.pair(x, y); }, process);
  }
  Index size() const {
    return std::visit([](const auto& p) { return p.size(); }, process);
  }
  double learn(const State& state) {
    const double variance =
        std::visit([&](const auto& p) { return p.predict(state.position).variance; }, process);
    std::visit([&](auto& p) { p.append(state.position, state.exact.log_likelihood, *state.exact.gradient); },
               process);
    return variance;
  }
};

// Fixed, with lengthscales so short that next to no point is refused: n is what is measured.
Covariance covariance_for(Index dimension) {
  const double lengthscale = dimension < 4 ? 0.1 : dimension < 8 ? 0.7 : 1.5;
  return {CovarianceFamily::squared_exponential, 50, Vector::Constant(dimension, lengthscale)};
}

Surrogate surrogate_of(const Case& one, const std::vector<Lesson>& lessons, const std::string& form) {
  const Data data = data_of(lessons, one);
  const Covariance covariance = covariance_for(one.dimension);
  if (form == "local") {
    LocalProcess local(covariance, one.observes, -3.0, measured_local_form(one.observes).neighbours);
    local.take(data);
    return {std::move(local)};
  }
  return {GaussianProcess::condition(covariance, data, -3.0)};
}

enum class Learns { yes, no };

struct Tally {
  double seconds = 0;
  Index iterations = 0;
  Index evaluations = 0;
};

// Iterations of a chain, until it has paid for a twentieth of n.
void run_segment(const Case& one, Surrogate surrogate, State state, std::uint32_t segment, Learns learns,
                 Tally& tally) {
  const Proposal proposal = one.proposal();
  const ScreenOptions options;
  const Beliefs beliefs = [&](const Vector& x, const Vector& y) { return surrogate.pair(x, y); };
  const Index most = tally.evaluations + std::max<Index>(1, one.n / 20);
  const double start = cpu_seconds();
  for (std::uint64_t i = 0; tally.evaluations < most; ++i) {
    Rng rng({one.seed, segment, i, Purpose::step});
    if (tally.seconds + cpu_seconds() - start > least_seconds && tally.evaluations > 2) break;
    ++tally.iterations;
    const auto screened = screen(state, proposal, options, beliefs, flat, rng);
    const auto* survivor = std::get_if<Survivor>(&screened);
    if (survivor == nullptr) continue;
    const State there = state_at(survivor->position);
    ++tally.evaluations;
    state = settle(state, *survivor, there.exact, proposal, options).state;
    if (learns == Learns::yes) surrogate.learn(there);
  }
  tally.seconds += cpu_seconds() - start;
}

void time_iterations(const Case& one, const std::string& form) {
  const Walk walk = walk_of(one);
  const Surrogate surrogate = surrogate_of(one, walk.lessons, form);
  for (const Learns learns : {Learns::yes, Learns::no}) {
    Tally tally;
    for (std::uint32_t segment = 0; segment < most_segments && tally.seconds < least_seconds; ++segment)
      run_segment(one, surrogate, walk.end, segment, learns, tally);
    fmt::print(
        R"({{"method":"{}","d":{},"n":{},"form":"{}","learning":{},"held":{},"iterations":{},"evaluations":{},)"
        R"("cpu":{:.9g}}})"
        "\n",
        one.gradients() ? "gp-mala" : "gp-mh", one.dimension, one.n, form, learns == Learns::yes,
        surrogate.size(), tally.iterations, tally.evaluations, tally.seconds);
  }
}

// The emulator as a run has it, one lesson before a fit is due.
void time_refit(const Case& one) {
  constexpr Index first_fit = 250;
  const std::vector<Lesson> lessons = walk_of(one).lessons;
  Emulator emulator(one.dimension, {.observes = one.observes, .first_fit = first_fit});
  emulator.learn({lessons.begin(), lessons.begin() + first_fit}, Refit::allowed);
  emulator.learn({lessons.begin() + first_fit, lessons.end() - 1}, Refit::forbidden);
  const double start = cpu_seconds();
  emulator.learn({lessons.back()}, Refit::allowed);
  fmt::print(R"({{"method":"{}","d":{},"n":{},"form":"refit","held":{},"cpu":{:.9g}}})"
             "\n",
             one.gradients() ? "gp-mala" : "gp-mh", one.dimension, one.n, emulator.size(),
             cpu_seconds() - start);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: bench_large gp-mh|gp-mala DIMENSION N dense|local|refit SEED\n");
    return 2;
  }
  const std::string method = argv[1], form = argv[4];
  const Case one{method == "gp-mala" ? Observes::values_and_gradients : Observes::values, std::atol(argv[2]),
                 std::atol(argv[3]), std::strtoull(argv[5], nullptr, 10)};
  if (form == "refit")
    time_refit(one);
  else
    time_iterations(one, form);
  return 0;
}
