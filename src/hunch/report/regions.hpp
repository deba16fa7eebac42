// Regions: how a number that belongs to each point differs along one parameter.
#pragma once

#include <string>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/report/number_words.hpp"

namespace hunch {

// Stretches of one parameter that hold about equally many points.
struct Region {
  Range range;
  double mean;  // of the number
  std::int64_t count;
};

// `at[i]` is a parameter's value at the point that `numbers[i]` belongs to; points that are not finite are
// left out. At most `most` regions, fewer when points are few or equal.
std::vector<Region> regions_of(const std::vector<double>& at, const std::vector<double>& numbers, int most);

// How unequal the regions are: the standard deviation of their means.
double contrast(const std::vector<Region>& regions);

}  // namespace hunch
