// InnerChoice: which free steps, and how many, make an excursion on a surrogate nearly independent of where
// it began: measured on the surrogate itself, at no cost.
#pragma once

#include <vector>

#include "hunch/sampler/excursion.hpp"
#include "hunch/surrogate/design.hpp"
#include "hunch/surrogate/landscape.hpp"
#include "hunch/target/parameters.hpp"
#include "hunch/target/transform.hpp"

namespace hunch {

// Where chains walk, a heavy tail is raised a little beyond three sds: a surrogate that is too low there
// holds a chain for many rounds, and one that is too high costs a few refused moves of the few that go there.
struct TailLift {
  Index parameter;
  Transform transform;  // from its position
  double side;          // 1: above the mean, -1: below
  double from;          // the parameter, where it begins
  double sd;
};
using TailLifts = std::vector<TailLift>;
TailLifts lifts_of(const Cloud& cloud, const Parameters& parameters);

// log G of a landscape. Both must outlive the density; it is for one thread.
SurrogateDensity density_of(const Landscape& landscape, const Parameters& parameters, TailLifts lifts = {});

struct InnerChoice {
  InnerKernel kernel;
  Index steps;  // J
  TailLifts lifts = {};
};

// `archive`: draws of the surrogate, one column each. The cheaper of random walk and Hamiltonian flight, by
// the steps that ten autocorrelation times (of values and squares, the slowest parameter's) take.
InnerChoice choose_inner(const Landscape& landscape, const Parameters& parameters, const Matrix& archive,
                         std::uint64_t seed, const TailLifts& lifts = {});

}  // namespace hunch
