// What it costs to believe something about values and gradients together, and to fit.
#include <benchmark/benchmark.h>

#include <cmath>

#include "hunch/core/rng.hpp"
#include "hunch/surrogate/fit.hpp"
#include "hunch/surrogate/gaussian_process.hpp"

namespace {

using namespace hunch;

// A bent quadratic, as log-likelihoods are, at normal points.
Data bent(Index n, Index d) {
  Rng rng({4, 0, static_cast<std::uint64_t>(n), Purpose::data});
  Data data{rng.normal(d * n).reshaped(d, n), Vector(n), Matrix(d, n)};
  for (Index i = 0; i < n; ++i) {
    const auto x = data.points.col(i);
    data.values(i) = -2 * x.squaredNorm() + std::sin(3 * x(0)) * x(1);
    data.gradients.col(i) = -4 * x;
    data.gradients(0, i) += 3 * std::cos(3 * x(0)) * x(1);
    data.gradients(1, i) += std::sin(3 * x(0));
  }
  return data;
}

// The process of n points, and other positions to ask it about.
struct Setting {
  GaussianProcess process;
  Matrix positions;

  Setting(Index n, Index d)
      : process({CovarianceFamily::squared_exponential, 50.0, Vector::Constant(d, 0.8)},
                Observes::values_and_gradients),
        positions(bent(256, d).points) {
    const Data data = bent(n, d);
    for (Index i = 0; i < n; ++i) process.append(data.points.col(i), data.values(i), data.gradients.col(i));
  }
};

void joint_pair(benchmark::State& state) {
  const Setting s(state.range(0), state.range(1));
  Index j = 0;
  for (auto _ : state) {
    const auto belief = s.process.pair(s.positions.col(j % 256), s.positions.col((j + 1) % 256));
    benchmark::DoNotOptimize(belief.covariance(0, 1));
    ++j;
  }
}

// One append to a process of n points; the copy it is made to is not timed.
void joint_append(benchmark::State& state) {
  const Setting s(state.range(0), state.range(1));
  const Vector gradient = Vector::Ones(state.range(1));
  Index j = 0;
  for (auto _ : state) {
    state.PauseTiming();
    GaussianProcess grown = s.process;
    grown.append(s.positions.col(255), -1.0, gradient);
    state.ResumeTiming();
    benchmark::DoNotOptimize(grown.append(s.positions.col(j % 255), -1.0, gradient));
    ++j;
  }
}

void joint_condition(benchmark::State& state) {
  const Data data = bent(state.range(0), state.range(1));
  const Covariance covariance{CovarianceFamily::squared_exponential, 50.0,
                              Vector::Constant(state.range(1), 0.8)};
  for (auto _ : state) {
    benchmark::DoNotOptimize(GaussianProcess::condition(covariance, data).size());
  }
}

template <class Fit>
void fits(benchmark::State& state, Fit fit_to) {
  const Data data = bent(state.range(0), state.range(1));
  FitResult result{{}, 0, 0, 0};
  for (auto _ : state) {
    result = fit_to(data);
    benchmark::DoNotOptimize(result.prior_mean);
  }
  state.counters["likelihoods"] = result.likelihoods;
  state.counters["reached"] = result.log_posterior;
}

void fit_to_values(benchmark::State& state) {
  fits(state, [](const Data& data) {
    return fit_stationary({data.points, data.values}, CovarianceFamily::squared_exponential);
  });
}
void fit_to_both(benchmark::State& state) {
  fits(state, [](const Data& data) { return fit_stationary(data, CovarianceFamily::squared_exponential); });
}

BENCHMARK(joint_pair)->Args({60, 3})->Args({100, 5})->Unit(benchmark::kMicrosecond);
BENCHMARK(joint_append)->Args({60, 3})->Args({100, 5})->Iterations(400)->Unit(benchmark::kMicrosecond);
BENCHMARK(joint_condition)->Args({60, 3})->Args({100, 5})->Unit(benchmark::kMillisecond);
BENCHMARK(fit_to_values)->Args({60, 3})->Args({100, 5})->Args({256, 5})->Unit(benchmark::kMillisecond);
BENCHMARK(fit_to_both)->Args({60, 3})->Args({100, 5})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
