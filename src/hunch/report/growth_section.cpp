#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "hunch/diagnostics/convergence.hpp"
#include "hunch/report/figure.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

constexpr Index most_parameters = 6;
constexpr Index many = 200'000;  // draws in all, whose diagnostics take a while
constexpr Index shortest = 20;   // draws of each chain: fewer say little

std::vector<Index> lengths(Index length, Index chains) {
  const double growth = length * chains > many ? 2 : 1.35;
  std::vector<Index> grown;
  for (double at = static_cast<double>(length); at >= static_cast<double>(shortest) && grown.size() < 16;
       at /= growth)
    grown.push_back(static_cast<Index>(at));
  std::reverse(grown.begin(), grown.end());
  return grown;
}

struct Grown {
  Index parameter;
  std::vector<Point> rhat, ess;
};

Grown grown(const ReportData& data, Index p, const std::vector<Index>& at) {
  const Matrix values = data.draws.parameter(p);
  Grown made{p, {}, {}};
  for (const Index n : at) {
    const auto x = static_cast<double>(n);
    made.rhat.push_back({x, rhat(values.topRows(n)).value_or(NAN)});
    made.ess.push_back({x, ess_bulk(values.topRows(n)).value_or(NAN)});
  }
  return made;
}

Range heights(const std::vector<Grown>& all, std::vector<Point> Grown::*which, Range range) {
  for (const Grown& one : all)
    for (const Point& point : one.*which)
      if (std::isfinite(point.y)) range = {std::min(range.low, point.y), std::max(range.high, point.y)};
  return with_room(range, 0.06);
}

struct Threshold {
  double at;
  const char* words;
};

Markup drawn(const ReportData& data, const std::vector<Grown>& all, std::vector<Point> Grown::*which,
             const Threshold& threshold, Range range) {
  const bool is_ess = which == &Grown::ess;
  const std::vector<Point>& first = all.front().*which;
  Plot plot({.x = {0, first.back().x * 1.02},
             .y = heights(all, which, range),
             .x_name = "draws of each chain",
             .width = 480,
             .height = 230});
  plot.rule_across(threshold.at, "expected");
  for (std::size_t i = 0; i < all.size(); ++i) plot.line(all[i].*which, chain_colour(static_cast<long>(i)));
  std::string last;
  for (std::size_t k = 0; k < first.size(); ++k) {
    const double from = k == 0 ? 0 : (first[k - 1].x + first[k].x) / 2;
    const double to = k + 1 == first.size() ? first[k].x * 1.02 : (first[k].x + first[k + 1].x) / 2;
    std::string values;
    for (const Grown& one : all) {
      const double y = (one.*which)[k].y;
      values +=
          fmt::format("\n{}: {}", short_name(data.draws.names()[static_cast<std::size_t>(one.parameter)], 18),
                      std::isnan(y) ? "-"
                      : is_ess      ? counted(std::optional(y))
                                    : fmt::format("{:.3f}", y));
    }
    plot.read_out(
        {from, to},
        fmt::format("{} draws of each chain", counted(static_cast<std::int64_t>(first[k].x))) + values);
    last = values;
  }
  std::replace(last.begin(), last.end(), '\n', ' ');
  const char* what = is_ess ? "Bulk effective sample size" : "R-hat";
  return figure(is_ess ? "growth-ess" : "growth-rhat",
                Markup::text(fmt::format("{} ({})", what, threshold.words)),
                fmt::format("{} as draws grow. At the end,{}. {}.", what, last, threshold.words), plot);
}

}  // namespace

Markup growth_section(const ReportData& data, const Findings& found) {
  const std::vector<Index> at = lengths(found.length, found.chains);
  if (at.size() < 2) return {};
  std::vector<Grown> all;
  std::vector<LegendEntry> names;
  for (const Index p : least_converged(found, most_parameters)) {
    names.push_back({chain_colour(static_cast<long>(all.size())),
                     named(data.draws.names()[static_cast<std::size_t>(p)])});
    all.push_back(grown(data, p, at));
  }
  Markup made = legend(names);
  if (static_cast<Index>(all.size()) < data.draws.parameters())
    made += paragraph(fmt::format("The {} parameters that have converged least are shown.", all.size()));
  const double enough = 100.0 * static_cast<double>(found.chains);
  made += tag("div", {{"class", "double"}},
              drawn(data, all, &Grown::rhat, {1.01, "dashed: 1.01, the most that is trusted"}, {1, 1.015}) +
                  drawn(data, all, &Grown::ess, {enough, "dashed: 100 a chain, the least that is trusted"},
                        {0, enough * 1.05}));
  return section("growth", "Convergence as draws grow", made);
}

}  // namespace hunch
