#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hunch/diagnostics/autocovariance.hpp"
#include "hunch/report/figure.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

constexpr Index most_chains = 8;
constexpr Index trace_bins = 140;
constexpr Index trace_read_outs = 40;
constexpr Index most_open = 10, most_shown = 60;  // parameters: in sight, and at all

std::string name_of(const ReportData& data, Index p) {
  return data.draws.names()[static_cast<std::size_t>(p)];
}

Range stretch(Index i, Index parts, Index length) {
  return {static_cast<double>(i * length / parts), static_cast<double>((i + 1) * length / parts)};
}

// Each bin's lowest and highest value, in the order in which they came.
std::vector<Point> outline(const Vector& values) {
  const Index bins = std::min(trace_bins, values.size());
  std::vector<Point> points;
  for (Index b = 0; b < bins; ++b) {
    const Range at = stretch(b, bins, values.size());
    const auto from = static_cast<Index>(at.low), to = static_cast<Index>(at.high);
    Index low = from, high = from;
    for (Index i = from; i < to; ++i) {
      if (values[i] < values[low]) low = i;
      if (values[i] > values[high]) high = i;
    }
    for (const Index i : {std::min(low, high), std::max(low, high)})
      points.push_back({static_cast<double>(i) + 0.5, values[i]});
  }
  return points;
}

Markup trace(const ReportData& data, const Findings& found, Index p) {
  Plot plot({.x = {0, static_cast<double>(found.length)},
             .y = range_of_draws(data.draws, p),
             .x_name = "draw of each chain",
             .width = 470,
             .height = 180});
  const Index shown = std::min(found.chains, most_chains);
  for (Index c = 0; c < shown; ++c) plot.line(outline(data.draws.chain(c).col(p)), "thin " + chain_colour(c));
  const Index parts = std::min(trace_read_outs, found.length);
  for (Index part = 0; part < parts; ++part) {
    const Range at = stretch(part, parts, found.length);
    std::string words = fmt::format("draws {} to {}, means", counted(static_cast<std::int64_t>(at.low) + 1),
                                    counted(static_cast<std::int64_t>(at.high)));
    for (Index c = 0; c < shown; ++c)
      words += fmt::format("\nchain {}: {}", c + 1,
                           in_short(data.draws.chain(c)
                                        .col(p)
                                        .segment(static_cast<Index>(at.low), static_cast<Index>(at.width()))
                                        .mean()));
    plot.read_out(at, words);
  }
  std::string words =
      fmt::format("Trace of {} over {} of {}.", name_of(data, p), counted_things(found.length, "draw"),
                  counted_things(found.chains, "chain"));
  for (Index c = 0; c < shown; ++c)
    words += fmt::format(" Chain {} has mean {}.", c + 1, in_short(data.draws.chain(c).col(p).mean()));
  return figure("trace-" + std::to_string(p),
                tag("span", {{"class", "kind"}}, "trace ") + named(name_of(data, p)), words, plot);
}

// How many of each chain's draws fall into each of the ranks' bins, among all draws.
Matrix rank_counts(const Matrix& values, Index bins) {
  const Index all = values.size();
  std::vector<Index> order(static_cast<std::size_t>(all));
  std::iota(order.begin(), order.end(), 0);
  const double* data = values.data();
  // Ties go by draw, so that no chain is favoured.
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (data[a] != data[b]) return data[a] < data[b] || (!std::isnan(data[a]) && std::isnan(data[b]));
    return a % values.rows() < b % values.rows();
  });
  Matrix counts = Matrix::Zero(bins, values.cols());
  for (Index rank = 0; rank < all; ++rank)
    counts(rank * bins / all, order[static_cast<std::size_t>(rank)] / values.rows()) += 1;
  return counts;
}

Markup ranks(const ReportData& data, const Findings& found, Index p) {
  Matrix values = data.draws.parameter(p);
  values = values.unaryExpr([](double x) { return std::isnan(x) ? -INFINITY : x; }).eval();
  const Index bins = std::clamp<Index>(found.length / 10, 1, 20);
  const Matrix counts = rank_counts(values, bins);
  const double expected = static_cast<double>(found.length) / static_cast<double>(bins);
  Plot plot({.x = {0, static_cast<double>(bins)},
             .y = {0, std::max(counts.maxCoeff(), expected) * 1.1},
             .x_name = "rank among all draws",
             .x_axis = Axis::bare,
             .y_axis = Axis::bare,
             .width = 280,
             .height = 180});
  plot.rule_across(expected, "expected");
  const Index shown = std::min(found.chains, most_chains);
  for (Index c = 0; c < shown; ++c) {
    std::vector<Point> steps;
    for (Index b = 0; b < bins; ++b)
      for (const Index edge : {b, b + 1}) steps.push_back({static_cast<double>(edge), counts(b, c)});
    plot.line(steps, chain_colour(c));
  }
  for (Index b = 0; b < bins; ++b) {
    std::string words = fmt::format("ranks {} to {} %, {:.3g} draws expected", 100 * b / bins,
                                    100 * (b + 1) / bins, expected);
    for (Index c = 0; c < shown; ++c) words += fmt::format("\nchain {}: {:.0f}", c + 1, counts(b, c));
    plot.read_out({static_cast<double>(b), static_cast<double>(b + 1)}, words);
  }
  return figure(
      "ranks-" + std::to_string(p), tag("span", {{"class", "kind"}}, "ranks ") + named(name_of(data, p)),
      fmt::format(
          "Rank histogram of {} for each chain, {} bins: counts between {:.0f} and {:.0f} where {:.3g} "
          "are expected.",
          name_of(data, p), bins, counts.minCoeff(), counts.maxCoeff(), expected),
      plot);
}

Markup autocorrelation(const ReportData& data, const Findings& found, Index p) {
  const Matrix values = data.draws.parameter(p);
  const Vector covariance = values.allFinite() ? mean_autocovariance(values) : Vector();
  if (covariance.size() < 2 || !(covariance[0] > 0))
    return tag("figure", tag("figcaption",
                             tag("span", {{"class", "kind"}}, "autocorrelation ") + named(name_of(data, p))) +
                             paragraph("Not defined: the draws are constant, too few or not finite."));
  const Vector correlation = covariance / covariance[0];
  Index faded = 1;
  while (faded + 1 < correlation.size() && faded < 150 && correlation[faded] > 0.05) ++faded;
  const Index lags = std::min<Index>(correlation.size() - 1, std::max<Index>(20, faded + faded / 2));
  Plot plot({.x = {-0.6, static_cast<double>(lags) + 0.6},
             .y = {std::min(-0.1, correlation.head(lags + 1).minCoeff() * 1.05), 1.05},
             .x_name = "lag",
             .width = 280,
             .height = 180});
  for (Index lag = 0; lag <= lags; ++lag) {
    const auto x = static_cast<double>(lag);
    plot.bar({x - 0.4, x + 0.4}, {std::min(0.0, correlation[lag]), std::max(0.0, correlation[lag])},
             "posterior");
    plot.read_out({x - 0.5, x + 0.5}, fmt::format("lag {}: {:.3f}", lag, correlation[lag]));
  }
  return figure(
      "autocorrelation-" + std::to_string(p),
      tag("span", {{"class", "kind"}}, "autocorrelation ") + named(name_of(data, p)),
      fmt::format("Autocorrelation of {}, mean over chains: {:.2f} at lag 1, below 0.05 from lag {} on; "
                  "effective sample size {}.",
                  name_of(data, p), correlation[1], faded,
                  counted(found.summary[static_cast<std::size_t>(p)].ess_bulk)),
      plot);
}

Markup row_of(const ReportData& data, const Findings& found, Index p) {
  return tag("div", {{"class", "triple"}},
             trace(data, found, p) + ranks(data, found, p) + autocorrelation(data, found, p));
}

}  // namespace

Markup chain_section(const ReportData& data, const Findings& found) {
  if (!found.has_draws()) return {};
  std::vector<LegendEntry> chains;
  for (Index c = 0; c < std::min(found.chains, most_chains); ++c)
    chains.push_back({chain_colour(c), Markup::text("chain " + std::to_string(c + 1))});
  Markup made = legend(chains);
  if (found.chains > most_chains)
    made += paragraph(fmt::format("The first {} of {} chains are drawn.", most_chains, found.chains));
  made += paragraph(
      "Chains that agree look alike: traces cover the same heights, and ranks are near the dashed line.");
  const std::vector<Index> open = least_converged(found, most_open);
  for (const Index p : open) made += row_of(data, found, p);
  const Index all = data.draws.parameters();
  if (static_cast<Index>(open.size()) == all) return section("chains", "Chains", made);
  Markup others;
  Index count = 0;
  for (Index p = 0; p < all && count + most_open < most_shown; ++p)
    if (!std::binary_search(open.begin(), open.end(), p)) others += row_of(data, found, p), ++count;
  made += tag(
      "details",
      tag("summary", fmt::format("{} more parameters; above are those that have converged least", count)) +
          others);
  if (count + static_cast<Index>(open.size()) < all)
    made +=
        paragraph(fmt::format("{} parameters are left out.", all - count - static_cast<Index>(open.size())));
  return section("chains", "Chains", made);
}

}  // namespace hunch
