// InnerChoice: which free steps, and how many, make an excursion on a surrogate nearly independent of where
// it began: measured on the surrogate itself, at no cost.
#pragma once

#include "hunch/sampler/excursion.hpp"
#include "hunch/surrogate/landscape.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

// log G of a landscape. Both must outlive the density; it is for one thread.
SurrogateDensity density_of(const Landscape& landscape, const Parameters& parameters);

struct InnerChoice {
  InnerKernel kernel;
  Index steps;  // J
};

// `archive`: draws of the surrogate, one column each. The cheaper of random walk and Hamiltonian flight, by
// the steps that ten autocorrelation times (of values and squares, the slowest parameter's) take.
InnerChoice choose_inner(const Landscape& landscape, const Parameters& parameters, const Matrix& archive,
                         std::uint64_t seed);

}  // namespace hunch
