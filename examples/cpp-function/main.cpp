// How fast does it decay? Counts per minute of a source with background, eight minutes long.
#include <cmath>
#include <cstdio>
#include <hunch/hunch.hpp>

const double counts[] = {108, 89, 62, 51, 47, 30, 29, 23};

// Poisson counts of activity * exp(-rate * t) + background, up to a constant.
double log_likelihood(const hunch::Vector& theta) {
  double sum = 0;
  for (int t = 0; t < 8; ++t) {
    const double expected = theta[0] * std::exp(-theta[1] * t) + theta[2];
    sum += counts[t] * std::log(expected) - expected;
  }
  return sum;
}

int main(int argc, char** argv) try {
  hunch::SampleOptions options;
  options.draws = 6000;
  if (argc > 1) {  // kept there, so that nothing is paid for twice
    options.directory = argv[1];
    options.name = "decay";
    options.durability = hunch::Durability::relaxed;  // microseconds: a power cut may cost them
  }
  const hunch::SampleResult result = hunch::sample(log_likelihood,
                                                   {{"activity", "lognormal(4.5, 0.5)"},
                                                    {"rate", "lognormal(-1, 0.7)"},
                                                    {"background", "normal(10, 3, lower=0)"}},
                                                   options);
  for (const hunch::ParameterSummary& p : result.summary)
    std::printf("%-10s  mean %9.5f  sd %8.5f  mcse %8.6f  R-hat %5.3f  ESS %5.0f\n", p.name.c_str(), *p.mean,
                *p.sd, *p.mcse_mean, *p.rhat, *p.ess_bulk);
  std::printf("%ld iterations, %ld evaluations, %ld of them paid for now\n", result.counts.iterations,
              result.evaluations, result.calls);
  return hunch::converged(result.summary, result.draws.chains()) ? 0 : 3;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
