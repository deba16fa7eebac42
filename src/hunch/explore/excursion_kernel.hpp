// ExcursionKernel: which free steps, and how many, make an excursion on a surrogate nearly independent of
// where it began: measured on the surrogate itself, at no cost.
#pragma once

#include "hunch/explore/survey.hpp"
#include "hunch/sampler/excursion.hpp"
#include "hunch/surrogate/landscape.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

// log G of a landscape, to be walked on where it claims a deviation of at most `trust` nats. Both must
// outlive the density; it is for one thread.
SurrogateDensity density_of(const Landscape& landscape, const Parameters& parameters, double trust);

struct ExcursionKernel {
  InnerKernel kernel;
  Index steps = 0;  // J
};

// `factor`: of the covariance; `archive`: draws of the surrogate, one column each. The cheaper of random walk
// and Hamiltonian flight, by the steps that so many autocorrelation times (of values and squares, the slowest
// parameter's) take.
ExcursionKernel choose_excursion_kernel(const SurrogateDensity& surrogate, const Matrix& factor,
                                        const Matrix& archive, double correlation_times, std::uint64_t seed);

}  // namespace hunch
