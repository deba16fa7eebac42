// What a prediction and an append cost, beside the same arithmetic written plainly with Eigen.
#include "hunch/surrogate/gaussian_process.hpp"

#include <benchmark/benchmark.h>

#include <cmath>

#include "hunch/core/rng.hpp"
#include "hunch/surrogate/fit.hpp"

namespace {

using namespace hunch;

constexpr Index dimension = 5;

struct Setting {
  Covariance covariance{CovarianceFamily::squared_exponential, 50.0, Vector::Constant(dimension, 0.8)};
  Matrix points;
  Vector values;
  Matrix positions;

  explicit Setting(Index n) : points(dimension, n), values(n), positions(dimension, 256) {
    Rng rng({1, 0, static_cast<std::uint64_t>(n), Purpose::data});
    for (Index i = 0; i < n; ++i) {
      points.col(i) = rng.normal(dimension);
      values(i) = -0.5 * points.col(i).squaredNorm();
    }
    for (Index j = 0; j < positions.cols(); ++j) positions.col(j) = rng.normal(dimension);
  }
};

// The textbook, as one would write it in an afternoon: Eigen's defaults throughout.
struct Plain {
  Covariance covariance;
  Matrix scaled;
  Matrix factor;
  Vector weights;

  explicit Plain(const Setting& s) : covariance(s.covariance) {
    scaled = s.points.array().colwise() / covariance.lengthscales.array();
    Matrix k(scaled.cols(), scaled.cols());
    for (Index i = 0; i < k.cols(); ++i) k.col(i) = cross(s.points.col(i));
    k.diagonal().array() += 1e-10 * covariance.signal_variance;
    factor = k.llt().matrixL();
    weights = s.values;
    factor.triangularView<Eigen::Lower>().solveInPlace(weights);
    factor.transpose().triangularView<Eigen::Upper>().solveInPlace(weights);
  }
  Vector cross(const Vector& z) const {
    const Vector at = z.array() / covariance.lengthscales.array();
    const Vector s = (scaled.colwise() - at).colwise().squaredNorm().transpose();
    return covariance.signal_variance * (-0.5 * s.array()).exp();
  }
  double mean(const Vector& z) const { return cross(z).dot(weights); }
  double variance(const Vector& z) const {
    Vector k = cross(z);
    const double m = k.dot(weights);
    factor.triangularView<Eigen::Lower>().solveInPlace(k);
    return m + covariance.signal_variance - k.squaredNorm();
  }
  // Two solves of one column: Eigen is slower at one solve of two.
  double pair(const Vector& x, const Vector& y) const {
    Vector kx = cross(x);
    Vector ky = cross(y);
    const double m = kx.dot(weights) + ky.dot(weights);
    factor.triangularView<Eigen::Lower>().solveInPlace(kx);
    factor.triangularView<Eigen::Lower>().solveInPlace(ky);
    return m + kx.squaredNorm() + ky.squaredNorm() + kx.dot(ky);
  }
  // The row that an append adds to the factor, and K^-1 y and K^-1 1 solved for again.
  double append(const Vector& z) const {
    Vector row = cross(z);
    factor.triangularView<Eigen::Lower>().solveInPlace(row);
    Vector a = row;
    Vector b = 2 * row;
    factor.transpose().triangularView<Eigen::Upper>().solveInPlace(a);
    factor.transpose().triangularView<Eigen::Upper>().solveInPlace(b);
    return row.squaredNorm() + a(0) + b(0);
  }
};

const GaussianProcess& process_of(Index n) {
  static std::vector<std::pair<Index, GaussianProcess>> known;
  for (const auto& [size, process] : known) {
    if (size == n) return process;
  }
  const Setting s(n);
  known.reserve(16);
  known.emplace_back(n, GaussianProcess::condition(s.covariance, {s.points, s.values}));
  return known.back().second;
}

const Plain& plain_of(Index n) {
  static std::vector<std::pair<Index, Plain>> known;
  for (const auto& [size, plain] : known) {
    if (size == n) return plain;
  }
  known.reserve(16);
  known.emplace_back(n, Plain(Setting(n)));
  return known.back().second;
}

// Runs body(position, next position) over fresh positions.
template <class Body>
void over_positions(benchmark::State& state, Body body) {
  const Matrix positions = Setting(16).positions;
  Index j = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(body(Vector(positions.col(j % 256)), Vector(positions.col((j + 1) % 256))));
    ++j;
  }
}

void hunch_mean(benchmark::State& state) {
  const MeanFunction mean = process_of(state.range(0)).mean_function();
  MeanFunction::Workspace room;
  over_positions(state, [&](const Vector& x, const Vector&) { return mean.value(x, room); });
}
void hunch_mean_and_gradient(benchmark::State& state) {
  const MeanFunction mean = process_of(state.range(0)).mean_function();
  MeanFunction::Workspace room;
  Vector gradient;
  over_positions(state,
                 [&](const Vector& x, const Vector&) { return mean.value_and_gradient(x, gradient, room); });
}
void hunch_means(benchmark::State& state) {  // of 256 positions
  const MeanFunction mean = process_of(state.range(0)).mean_function();
  const Matrix positions = Setting(16).positions;
  for (auto _ : state) benchmark::DoNotOptimize(mean.values(positions).sum());
}
void plain_mean(benchmark::State& state) {
  const auto& plain = plain_of(state.range(0));
  over_positions(state, [&](const Vector& x, const Vector&) { return plain.mean(x); });
}
void hunch_variance(benchmark::State& state) {
  const auto& process = process_of(state.range(0));
  over_positions(state, [&](const Vector& x, const Vector&) { return process.predict(x).variance; });
}
void plain_variance(benchmark::State& state) {
  const auto& plain = plain_of(state.range(0));
  over_positions(state, [&](const Vector& x, const Vector&) { return plain.variance(x); });
}
void hunch_pair(benchmark::State& state) {
  const auto& process = process_of(state.range(0));
  over_positions(state,
                 [&](const Vector& x, const Vector& y) { return process.pair(x, y).covariance(0, 1); });
}
void plain_pair(benchmark::State& state) {
  const auto& plain = plain_of(state.range(0));
  over_positions(state, [&](const Vector& x, const Vector& y) { return plain.pair(x, y); });
}
// The process grows while it is measured: 30 appends, with n in the middle, after five to warm the caches.
void hunch_append(benchmark::State& state) {
  const Setting s(state.range(0) - 20);
  auto process = GaussianProcess::condition(s.covariance, {s.points, s.values});
  Rng rng({2, 0, 0, Purpose::data});
  for (int i = 0; i < 5; ++i) process.append(rng.normal(dimension), -1.0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(process.append(rng.normal(dimension), -1.0));
  }
}
void plain_append(benchmark::State& state) {
  const auto& plain = plain_of(state.range(0));
  over_positions(state, [&](const Vector& x, const Vector&) { return plain.append(x); });
}
void hunch_batch(benchmark::State& state) {  // variances of 256 positions
  const auto& process = process_of(state.range(0));
  const Matrix positions = Setting(16).positions;
  for (auto _ : state) benchmark::DoNotOptimize(process.variances(positions).sum());
}
void hunch_condition(benchmark::State& state) {
  const Setting s(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(GaussianProcess::condition(s.covariance, {s.points, s.values}).size());
  }
}
void plain_condition(benchmark::State& state) {
  const Setting s(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(Plain(s).weights(0));
}
void hunch_fit(benchmark::State& state) {
  const Index d = state.range(1);
  Rng rng({3, 0, static_cast<std::uint64_t>(state.range(0)), Purpose::data});
  Matrix points(d, state.range(0));
  Vector values(state.range(0));
  for (Index i = 0; i < points.cols(); ++i) {
    points.col(i) = rng.normal(d);
    values(i) = -2 * points.col(i).squaredNorm() + std::sin(3 * points(0, i)) * points(1, i);
  }
  double likelihoods = 0;
  for (auto _ : state) {
    const FitResult result = fit_stationary({points, values}, CovarianceFamily::squared_exponential);
    likelihoods = result.likelihoods;
    benchmark::DoNotOptimize(result.prior_mean);
  }
  state.counters["likelihoods"] = likelihoods;
}

void sizes(benchmark::internal::Benchmark* b) {
  for (int n : {250, 500, 1000, 2000, 4000}) b->Arg(n);
  b->Unit(benchmark::kMicrosecond);
}

BENCHMARK(hunch_mean)->Apply(sizes);
BENCHMARK(plain_mean)->Apply(sizes);
BENCHMARK(hunch_mean_and_gradient)->Apply(sizes);
BENCHMARK(hunch_means)->Apply(sizes);
BENCHMARK(hunch_variance)->Apply(sizes);
BENCHMARK(plain_variance)->Apply(sizes);
BENCHMARK(hunch_pair)->Apply(sizes);
BENCHMARK(plain_pair)->Apply(sizes);
BENCHMARK(hunch_append)->Apply(sizes)->Iterations(30);
BENCHMARK(plain_append)->Apply(sizes)->Iterations(30);
BENCHMARK(hunch_batch)->Apply(sizes);
BENCHMARK(hunch_condition)->Arg(250)->Arg(1000)->Arg(2000)->Unit(benchmark::kMillisecond);
BENCHMARK(plain_condition)->Arg(250)->Arg(1000)->Arg(2000)->Unit(benchmark::kMillisecond);
BENCHMARK(hunch_fit)->ArgsProduct({{50, 100, 256}, {3, 5}})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
