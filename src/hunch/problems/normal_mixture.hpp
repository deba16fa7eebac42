// NormalMixture: a few round normal peaks in two dimensions: modes far apart, or one too narrow to be found.
#pragma once

#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

struct Peak {
  double weight;
  Eigen::Vector2d centre;
  double sd;
};

// Weights 0.3 and 0.7, sds 1, centres 6 apart.
std::vector<Peak> bimodal_peaks();

// A broad peak of weight 0.7 and sd 1, and one of weight 0.3 and sd 0.01 on its flank.
std::vector<Peak> spike_peaks();

// The log density at theta, normalised for weights that sum to one.
Exact mixture_log_density(const std::vector<Peak>& peaks, const Vector& theta, Want want);

}  // namespace hunch
