// Watched: a model that counts its calls, may dawdle, and may be told to misbehave; and runs made with it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "hunch/problems/problem.hpp"
#include "hunch/run/run.hpp"

namespace hunch::watched {

// Different for neighbouring thetas, the same for the same theta: up to about half a millisecond.
inline std::chrono::microseconds dawdling_time(const Vector& theta) {
  std::uint64_t mixed = 0;
  for (double value : theta) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    mixed = (mixed ^ bits) * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 29;
  }
  return std::chrono::microseconds(mixed % 512);
}

enum class Pace { prompt, dawdling };

class WatchedModel final : public Model {
 public:
  explicit WatchedModel(FunctionModel::Function function, Pace pace = Pace::prompt)
      : function_(std::move(function), {.gradient = true}), pace_(pace) {}

  Capabilities capabilities() const override { return function_.capabilities(); }
  Outcome evaluate(const Vector& theta, Want want) override {
    ++calls_;
    if (pace_ == Pace::dawdling) std::this_thread::sleep_for(dawdling_time(theta));
    Outcome outcome = function_.evaluate(theta, want);
    if (outcome.kind == OutcomeKind::zero) ++zeros_;
    return outcome;
  }

  std::int64_t calls() const { return calls_; }
  std::int64_t zeros() const { return zeros_; }  // calls answered by minus infinity

 private:
  FunctionModel function_;
  Pace pace_;
  std::atomic<std::int64_t> calls_ = 0;
  std::atomic<std::int64_t> zeros_ = 0;
};

// Four chains around T4's truth, about one posterior sd apart, and proposals that suit it.
inline std::vector<Vector> epidemic_starts(const Problem& problem) {
  std::vector<Vector> starts;
  for (std::uint32_t chain = 0; chain < 4; ++chain) {
    Rng rng({5, chain, 0, Purpose::start});
    starts.push_back(problem.parameters.position(problem.truth) +
                     Vector{{0.02, 0.03, 0.15, 0.15}}.cwiseProduct(rng.normal(4)));
  }
  return starts;
}

inline Proposal epidemic_proposal(Method method) {
  const Vector spread{{0.03, 0.035, 0.18, 0.18}};
  if (uses_gradient(method)) return Langevin{0.3, spread.cwiseAbs2()};
  return RandomWalk{0.8 * spread};
}

struct WatchedRun {
  RunResult result;
  std::int64_t calls;
  std::int64_t zeros;
};

inline WatchedRun run_epidemic(const RunSettings& settings, int workers = 1, Pace pace = Pace::prompt,
                               const std::function<void(const Progress&)>& on_round = {}) {
  const Problem problem = make_problem("T4");
  WatchedModel model(problem.evaluate, pace);
  Evaluator evaluator(model, workers);
  RunResult result = run(problem.parameters, evaluator, epidemic_starts(problem),
                         epidemic_proposal(settings.method), settings, on_round);
  return {std::move(result), model.calls(), model.zeros()};
}

inline StageCounts total(const RunResult& result) {
  StageCounts sum;
  for (const ChainResult& chain : result.chains) {
    sum += chain.warmup;
    sum += chain.kept;
  }
  return sum;
}

// What a standard normal target in d dimensions, all of it likelihood, answers.
inline Exact normal_log_density(const Vector& theta, Want) {
  return {-0.5 * theta.squaredNorm(), Vector(-theta)};
}

inline Parameters flat_parameters(Index dimension) {
  std::vector<Parameter> list;
  for (Index i = 0; i < dimension; ++i)
    list.push_back({std::string(1, static_cast<char>('u' + i)), {Flat{}}});
  return Parameters(std::move(list));
}

}  // namespace hunch::watched
