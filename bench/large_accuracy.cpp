// How well dense and local surrogates of the same n points predict a chain's proposals, and what a chain pays
// with either: one line of JSON for each.
// Usage: bench_large_accuracy gp-mh|gp-mala DIMENSION N SEED
//        bench_large_accuracy paid DIMENSION ITERATIONS SEED
#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "bench/rippled_walk.hpp"
#include "hunch/sampler/two_stage.hpp"
#include "hunch/surrogate/emulator.hpp"
#include "hunch/surrogate/fit.hpp"
#include "hunch/surrogate/local_process.hpp"

namespace {

using namespace hunch;
using namespace hunch::rippled;

constexpr Index asked = 300;

struct Move {
  Vector from;
  Vector to;
};

// Moves of the chain after its n lessons, but the hopeless ones.
std::vector<Move> moves_of(const Case& one, State state) {
  std::vector<Move> moves;
  const Proposal proposal = one.proposal();
  for (std::uint64_t i = 0; static_cast<Index>(moves.size()) < asked; ++i) {
    Rng rng({one.seed, 1, i, Purpose::pilot});
    const State next = state_at(propose(proposal, state, rng));
    const double log_ratio = next.exact.log_likelihood - state.exact.log_likelihood;
    if (log_ratio > -6) moves.push_back({state.position, next.position});
    if (std::log(rng.uniform()) < log_ratio) state = next;
  }
  return moves;
}

template <class Process>
void tell_error(const Case& one, const std::string& form, const Process& process,
                const std::vector<Move>& moves) {
  double squares = 0;
  for (const Move& move : moves) {
    const PairBelief belief = process.pair(move.from, move.to);
    squares += std::pow(belief.mean()[belief.half()] - log_density(move.to), 2);
  }
  fmt::print(R"({{"method":"{}","d":{},"n":{},"form":"accuracy","of":"{}","rms":{:.6g}}})"
             "\n",
             one.gradients() ? "gp-mala" : "gp-mh", one.dimension, one.n, form,
             std::sqrt(squares / static_cast<double>(asked)));
}

void compare(const Case& one) {
  const Walk walk = walk_of(one);
  const std::vector<Move> moves = moves_of(one, walk.end);
  const Data data = data_of(walk.lessons, one);
  const FitResult fitted = fit_stationary(data, CovarianceFamily::squared_exponential);
  tell_error(one, "dense", GaussianProcess::condition(fitted.covariance, data, fitted.prior_mean), moves);
  for (const Index neighbours : {8, 16, 32, 64, 96}) {
    if (one.gradients() && neighbours > 32) continue;
    LocalProcess local(fitted.covariance, one.observes, fitted.prior_mean, neighbours);
    local.take(data);
    tell_error(one, fmt::format("{}", neighbours), local, moves);
  }
}

// A chain of gp-mh as a run makes it, counted over the second half of its iterations.
void tell_paid(Index dimension, Index iterations, std::uint64_t seed, const std::string& form) {
  const Case one{Observes::values, dimension, 0, seed};
  const Proposal proposal = one.proposal();
  EmulatorOptions options;
  const LocalForm early{1000, measured_local_form(one.observes).neighbours};
  options.local = form == "dense" ? LocalForm{iterations + 1, 1} : early;
  Emulator emulator(dimension, options);
  const Beliefs beliefs = [&](const Vector& x, const Vector& y) { return emulator.pair(x, y); };
  State state = state_at(Vector::Zero(dimension));
  Index evaluated = 0, accepted = 0;
  for (Index i = 0; i < iterations; ++i) {
    Rng rng({seed, 2, static_cast<std::uint64_t>(i), Purpose::step});
    const auto screened = screen(state, proposal, {}, beliefs, flat, rng);
    const auto* survivor = std::get_if<Survivor>(&screened);
    if (survivor == nullptr) continue;
    const State there = state_at(survivor->position);
    const Transition step = settle(state, *survivor, there.exact, proposal, {});
    state = step.state;
    evaluated += 2 * i >= iterations;
    accepted += 2 * i >= iterations && step.info.verdict == Verdict::accepted;
    emulator.learn({{there.position, there.exact.log_likelihood, there.exact.gradient, 0}}, Refit::allowed);
  }
  const double share = 200.0 / static_cast<double>(iterations);
  fmt::print(
      R"({{"method":"gp-mh","d":{},"n":{},"form":"paid","of":"{}","held":{},"evaluations":{:.4g},"moves":{:.4g}}})"
      "\n",
      dimension, iterations, form, emulator.size(), share * static_cast<double>(evaluated),
      share * static_cast<double>(accepted));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: bench_large_accuracy gp-mh|gp-mala|paid DIMENSION N SEED\n");
    return 2;
  }
  const std::string what = argv[1];
  if (what == "paid") {
    for (const char* form : {"dense", "local"})
      tell_paid(std::atol(argv[2]), std::atol(argv[3]), std::strtoull(argv[4], nullptr, 10), form);
    return 0;
  }
  compare({what == "gp-mala" ? Observes::values_and_gradients : Observes::values, std::atol(argv[2]),
           std::atol(argv[3]), std::strtoull(argv[4], nullptr, 10)});
  return 0;
}
