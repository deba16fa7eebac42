// ReferenceValues: the stored numbers behind reference_moments, as the script that makes them writes them.
#pragma once

#include <string>
#include <vector>

namespace hunch {

struct ReferenceValues {
  std::string problem;
  std::vector<double> mean;  // of theta
  std::vector<double> sd;
};

const std::vector<ReferenceValues>& reference_values();

}  // namespace hunch
