// BreadthReference: what is known of the posteriors of the breadth study.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

// Of theta, by parameter. Written by scripts/regenerate-breadth-references: exactly or by quadrature for the
// shapes, by long random walks for the ODE fits, from posteriordb's reference draws for the rest.
struct BreadthReference {
  std::string problem;
  double draws;  // independent ones that the moments are worth; infinite where they are exact
  std::vector<double> mean;
  std::vector<double> sd;
  std::vector<double> kurtosis;  // 3 for a normal
  // sds of the wide normal priors, for problems whose prior is free; else empty.
  std::vector<double> wide_prior_sd;
  // Highest log posterior density of theta that was found. None where the bulk is not near the top.
  std::optional<double> best_log_posterior;
};

const std::vector<BreadthReference>& breadth_references();

// Throws std::logic_error if there is none.
const BreadthReference& breadth_reference(const std::string& problem);

}  // namespace hunch
