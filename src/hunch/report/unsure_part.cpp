#include <fmt/core.h>

#include <algorithm>

#include "hunch/report/figure.hpp"
#include "hunch/report/regions.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

constexpr std::size_t most_parameters = 6;

struct Along {
  Index parameter;
  std::vector<Region> regions;  // of claimed deviations
};

// The parameters along which deviations differ most.
std::vector<Along> most_telling(Index parameters, const Compared& late) {
  std::vector<double> deviations;
  for (const auto* one : late) deviations.push_back(one->said->deviation);
  std::vector<Along> found;
  for (Index p = 0; p < parameters; ++p) {
    std::vector<double> at;
    for (const auto* one : late) at.push_back(one->theta[p]);
    auto regions = regions_of(at, deviations, 10);
    if (regions.size() >= 3) found.push_back({p, std::move(regions)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Along& a, const Along& b) { return contrast(a.regions) > contrast(b.regions); });
  if (found.size() > most_parameters) found.resize(most_parameters);
  return found;
}

Markup drawn(const std::string& name, const Along& along, double top) {
  const std::vector<Region>& regions = along.regions;
  Plot plot({.x = with_room({regions.front().range.low, regions.back().range.high}, 0.01),
             .y = {0, 1.1 * top},
             .height = 150});
  const Region* worst = &regions.front();
  for (const Region& region : regions) {
    plot.bar(region.range, {0, region.mean}, "unsure");
    plot.read_out(region.range, fmt::format("{} to {}\ndeviation {} nats", in_short(region.range.low),
                                            in_short(region.range.high), in_short(region.mean)));
    if (region.mean > worst->mean) worst = &region;
  }
  return figure(
      "unsure-" + std::to_string(along.parameter), named(name),
      fmt::format(
          "The surrogate is least sure where {} is between {} and {}: it claims a deviation of {} nats "
          "there.",
          name, in_short(worst->range.low), in_short(worst->range.high), in_short(worst->mean)),
      plot);
}

}  // namespace

Markup unsure_part(const ReportData& data, const Compared& all) {
  const Compared late(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  const std::vector<Along> found = most_telling(data.draws.parameters(), late);
  if (found.empty()) return {};
  double top = 0;
  for (const Along& along : found)
    for (const Region& region : along.regions) top = std::max(top, region.mean);
  Markup figures;
  for (const Along& along : found)
    figures += drawn(data.draws.names()[static_cast<std::size_t>(along.parameter)], along, top);
  return tag("h3", "Where it is still unsure") +
         paragraph(
             "Mean claimed deviation, in nats, of the later half of the predictions, along the parameters "
             "where it "
             "differs most.") +
         grid_of(figures);
}

}  // namespace hunch
