// EfficiencyPlot: effective draws per evaluation by target and method, on a logarithmic scale.
#pragma once

#include <string>
#include <vector>

#include "hunch/study/efficiency_summary.hpp"

namespace hunch {

// The bytes of an SVG or PNG file. A dot is the mean over the runs, a line their range; a method whose runs
// all failed is drawn hollow. Targets stand in the order of the summaries.
std::string efficiency_svg(const std::vector<EfficiencySummary>& summaries);
std::string efficiency_png(const std::vector<EfficiencySummary>& summaries);

}  // namespace hunch
