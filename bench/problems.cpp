// Time of one evaluation of each problem, without and with its gradient, at points scattered about the truth.
#include <benchmark/benchmark.h>

#include <vector>

#include "hunch/core/rng.hpp"
#include "hunch/problems/problem.hpp"

namespace {

void evaluate(benchmark::State& state, const char* name, int t3_points, hunch::Want want) {
  const hunch::Problem problem = hunch::make_problem(name, {.t3_points = t3_points});
  const hunch::Vector truth = problem.parameters.position(problem.truth);
  hunch::Rng rng(hunch::Address{1, 0, 0, hunch::Purpose::test});
  std::vector<hunch::Vector> thetas;
  for (int k = 0; k < 16; ++k) {
    thetas.push_back(problem.parameters.theta(truth + 0.3 * rng.normal(truth.size())));
  }
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(problem.evaluate(thetas[next], want));
    next = (next + 1) % thetas.size();
  }
}

void add(const std::string& label, const char* name, int t3_points, benchmark::TimeUnit unit) {
  using hunch::Want;
  benchmark::RegisterBenchmark((label + "/value").c_str(), evaluate, name, t3_points, Want::value)
      ->Unit(unit);
  benchmark::RegisterBenchmark((label + "/gradient").c_str(), evaluate, name, t3_points,
                               Want::value_and_gradient)
      ->Unit(unit);
}

}  // namespace

int main(int argc, char** argv) {
  add("T1", "T1", 200, benchmark::kMicrosecond);
  add("T2", "T2", 200, benchmark::kMicrosecond);
  add("T3_200", "T3", 200, benchmark::kMicrosecond);
  add("T3_1000", "T3", 1000, benchmark::kMillisecond);
  add("T4", "T4", 200, benchmark::kMicrosecond);
  add("T5", "T5", 200, benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
