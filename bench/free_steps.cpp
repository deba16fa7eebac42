// What free steps on a landscape cost: an excursion of 50 steps of the random walk, and of 5 Hamiltonian
// flights.
#include <benchmark/benchmark.h>

#include <cmath>

#include "hunch/core/rng.hpp"
#include "hunch/explore/excursion_kernel.hpp"

namespace {

using namespace hunch;

constexpr Index dimension = 5;
constexpr Index walk_steps = 50;
constexpr Index flights = 5;

Parameters wide_parameters() {
  std::vector<Parameter> list;
  for (Index j = 0; j < dimension; ++j)
    list.push_back({std::string(1, static_cast<char>('a' + j)), {Normal{0, 10}}});
  return Parameters(std::move(list));
}

// A normal with ripples, known at n draws from a wider normal.
Landscape known_at(Index n) {
  Landscape landscape(Frame::of(Vector::Zero(dimension), Matrix::Identity(dimension, dimension)));
  Rng rng({1, 0, 0, Purpose::test});
  std::vector<Lesson> lessons;
  for (Index i = 0; i < n; ++i) {
    const Vector x = 1.3 * rng.normal(dimension);
    lessons.push_back({x, -0.5 * x.squaredNorm() + 0.3 * std::sin(2 * x[0]) * x[1], std::nullopt, 0});
  }
  landscape.add(lessons);
  landscape.rebuild();
  return landscape;
}

Matrix archive() {
  Rng rng({2, 0, 0, Purpose::test});
  Matrix draws(dimension, 300);
  for (Index i = 0; i < draws.cols(); ++i) draws.col(i) = rng.normal(dimension);
  return draws;
}

void go_out(benchmark::State& state, const InnerKernel& kernel, Index steps) {
  const Parameters parameters = wide_parameters();
  const Landscape landscape = known_at(state.range(0));
  const SurrogateDensity surrogate = density_of(landscape, parameters, 1.5);
  Rng rng({3, 0, 0, Purpose::test});
  Vector position = Vector::Zero(dimension);
  for (auto _ : state) position = excursion(position, kernel, steps, surrogate, rng).position;
  state.counters["per_step"] =
      benchmark::Counter(static_cast<double>(steps),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void walk(benchmark::State& state) {
  go_out(state, InnerWalk{Matrix::Identity(dimension, dimension), 2.38 / std::sqrt(5.0), archive()},
         walk_steps);
}

void fly(benchmark::State& state) {
  go_out(state, InnerHamiltonian{Matrix::Identity(dimension, dimension), 0.5, 3}, flights);
}

BENCHMARK(walk)->Arg(125)->Arg(250)->Arg(500)->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(fly)->Arg(125)->Arg(250)->Arg(500)->Arg(1000)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
