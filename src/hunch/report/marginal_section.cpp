#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "hunch/report/figure.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

constexpr int most_bins = 40;
constexpr Index most_shown = 60;

struct Histogram {
  Range range;
  std::vector<double> density;
  double bin_width() const { return range.width() / static_cast<double>(density.size()); }
  Range bin(std::size_t i) const {
    const double low = range.low + static_cast<double>(i) * bin_width();
    return {low, low + bin_width()};
  }
};

Histogram histogram(const std::vector<double>& sorted, const Range& range) {
  const int bins =
      std::clamp(static_cast<int>(2 * std::cbrt(static_cast<double>(sorted.size()))), 8, most_bins);
  Histogram made{range, std::vector<double>(static_cast<std::size_t>(bins))};
  const double each = 1 / (static_cast<double>(sorted.size()) * made.bin_width());
  for (const double value : sorted) {
    const double at = std::floor((value - range.low) / made.bin_width());
    if (at >= 0 && at < bins) made.density[static_cast<std::size_t>(at)] += each;
  }
  return made;
}

std::vector<Point> prior_curve(const ReportParameter& parameter, const Range& range) {
  std::vector<Point> curve;
  constexpr int steps = 96;
  if (parameter.prior_density)
    for (int i = 0; i <= steps; ++i) {
      const double theta = range.low + range.width() * i / steps;
      curve.push_back({theta, parameter.prior_density(theta)});
    }
  return curve;
}

double top_of(const Histogram& seen, const std::vector<Point>& prior) {
  const double top = *std::max_element(seen.density.begin(), seen.density.end());
  double highest = top;
  for (const Point& point : prior)
    if (std::isfinite(point.y)) highest = std::max(highest, std::min(point.y, 1.3 * top));
  return highest > 0 ? 1.08 * highest : 1;
}

std::string words_for(const ParameterSummary& p, const std::string& prior, std::size_t not_finite) {
  std::string words =
      fmt::format("Posterior of {}: mean {}, standard deviation {}, 90 % between {} and {}; prior {}.",
                  p.name, in_short(p.mean), in_short(p.sd), in_short(p.q5), in_short(p.q95), prior);
  if (not_finite > 0) words += fmt::format(" {} draws are not finite and are left out.", not_finite);
  return words;
}

Markup marginal(const ReportData& data, const Findings& found, Index p) {
  const std::string& name = data.draws.names()[static_cast<std::size_t>(p)];
  const ReportParameter& parameter = data.parameters[static_cast<std::size_t>(p)];
  const std::vector<double> sorted = sorted_values(data.draws, p);
  const auto all = static_cast<std::size_t>(found.chains * found.length);
  if (sorted.empty())
    return tag("figure", tag("figcaption", named(name)) + paragraph("No draw of this parameter is finite."));
  const Histogram seen = histogram(sorted, range_of_draws(data.draws, p));
  const std::vector<Point> prior = prior_curve(parameter, seen.range);
  Plot plot({.x = seen.range, .y = {0, top_of(seen, prior)}, .y_axis = Axis::bare, .height = 150});
  for (std::size_t i = 0; i < seen.density.size(); ++i) {
    plot.bar(seen.bin(i), {0, seen.density[i]}, "posterior");
    plot.read_out(seen.bin(i),
                  fmt::format("{} to {}\n{} of draws", in_short(seen.bin(i).low), in_short(seen.bin(i).high),
                              percent(seen.density[i] * seen.bin_width())));
  }
  plot.line(prior, "prior");
  plot.rule_up(quantile_of_sorted(sorted, 0.5), "median");
  return figure("marginal-" + std::to_string(p), named(name),
                words_for(found.summary[static_cast<std::size_t>(p)], parameter.prior, all - sorted.size()),
                plot);
}

}  // namespace

Markup marginal_section(const ReportData& data, const Findings& found) {
  if (!found.has_draws()) return {};
  Markup figures;
  const Index shown = std::min(data.draws.parameters(), most_shown);
  for (Index p = 0; p < shown; ++p) figures += marginal(data, found, p);
  Markup words = legend({{"posterior", Markup::text("draws")},
                         {"prior", Markup::text("prior density")},
                         {"median", Markup::text("median")}});
  if (shown < data.draws.parameters())
    words +=
        paragraph(fmt::format("The first {} of {} parameters are shown.", shown, data.draws.parameters()));
  return section("marginals", "Posterior of each parameter", words + grid_of(figures));
}

}  // namespace hunch
