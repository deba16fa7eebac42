// The C++ half of scripts/bench-python: the same likelihood, settings and seed, without Python.
// Usage: bench_plain METHOD WARMUP DRAWS SEED    prints: CPU seconds, iterations, digest of the draws
#include <fmt/core.h>

#include <ctime>
#include <string>

#include "hunch/hunch.hpp"
#include "hunch/run/digest.hpp"

namespace {

double log_likelihood(const hunch::Vector& theta) {
  return -0.5 * (theta[0] * theta[0] + theta[1] * theta[1]);
}

}  // namespace

int main(int, char** arguments) {
  const hunch::SampleOptions options{.method = arguments[1],
                                     .learning = "freeze",
                                     .chains = 1,
                                     .warmup = std::stoll(arguments[2]),
                                     .draws = std::stoll(arguments[3]),
                                     .seed = std::stoull(arguments[4])};
  const std::clock_t begun = std::clock();
  const hunch::SampleResult result =
      hunch::sample(log_likelihood, {{"x", "normal(0, 3)"}, {"y", "normal(0, 3)"}}, options);
  const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  fmt::print("{} {} {}\n", seconds, result.counts.iterations, hunch::sha256_of_draws(result.draws));
}
