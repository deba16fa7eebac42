#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "hunch/report/figure.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

using Use = ReportEvaluation::Use;

constexpr Index most_parameters = 6;
constexpr std::size_t most_points = 150;  // of each outcome in each panel
constexpr Index cells = 28;
constexpr Index read_out_cells = 14;

struct Look {
  Use use;
  Shape shape;
  const char* colour;
  const char* words;
};
constexpr std::array<Look, 4> looks = {{{Use::learning, Shape::dot, "learning", "paid for to learn"},
                                        {Use::rejected, Shape::ring, "rejected", "paid for, rejected"},
                                        {Use::accepted, Shape::dot, "accepted", "paid for, accepted"},
                                        {Use::failed, Shape::cross, "failed", "the model failed"}}};

Index cell_of(double value, const Range& range, Index count) {
  const double at = std::floor(static_cast<double>(count) * (value - range.low) / range.width());
  return at >= 0 && at < static_cast<double>(count) ? static_cast<Index>(at) : -1;
}

Range cell_range(Index i, const Range& range, Index count) {
  const double width = range.width() / static_cast<double>(count);
  return {range.low + static_cast<double>(i) * width, range.low + static_cast<double>(i + 1) * width};
}

struct Pair {
  Index x, y;  // parameters
  Range x_range, y_range;
};

Matrix count_draws(const Draws& draws, const Pair& pair, Index count) {
  Matrix counts = Matrix::Zero(count, count);
  for (Index c = 0; c < draws.chains(); ++c) {
    const auto chain = draws.chain(c);
    for (Index i = 0; i < chain.rows(); ++i) {
      const Index x = cell_of(chain(i, pair.x), pair.x_range, count);
      const Index y = cell_of(chain(i, pair.y), pair.y_range, count);
      if (x >= 0 && y >= 0) counts(x, y) += 1;
    }
  }
  return counts;
}

// A binomial blur, so that a thousand draws make a region and not a chequerboard.
Matrix blurred(const Matrix& counts) {
  const Index n = counts.rows();
  Matrix kernel = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index k = -2; k <= 2; ++k) {
      constexpr std::array weights = {1.0, 4.0, 6.0, 4.0, 1.0};
      kernel(i, std::clamp<Index>(i + k, 0, n - 1)) += weights[static_cast<std::size_t>(k + 2)] / 16;
    }
  return kernel * counts * kernel.transpose();
}

// The smallest regions that hold these shares of the draws, drawn the widest first.
void draw_density(Plot& plot, const Draws& draws, const Pair& pair) {
  const Matrix density = blurred(count_draws(draws, pair, cells));
  std::vector<double> sorted(density.data(), density.data() + density.size());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const double all = density.sum();
  if (!(all > 0)) return;
  constexpr std::array levels = {std::pair{0.98, "d1"}, std::pair{0.9, "d2"}, std::pair{0.7, "d3"},
                                 std::pair{0.4, "d4"}};
  for (const auto& [share, colour] : levels) {
    double sum = 0, threshold = 0;
    for (const double value : sorted) {
      sum += value;
      threshold = value;
      if (sum >= share * all) break;
    }
    std::vector<Plot::Box> boxes;
    for (Index y = 0; y < cells; ++y)
      for (Index x = 0; x < cells; ++x) {
        if (!(density(x, y) >= threshold) || !(density(x, y) > 0)) continue;
        const Index from = x;
        while (x + 1 < cells && density(x + 1, y) >= threshold) ++x;
        boxes.push_back({{cell_range(from, pair.x_range, cells).low, cell_range(x, pair.x_range, cells).high},
                         cell_range(y, pair.y_range, cells)});
      }
    plot.boxes(boxes, colour);
  }
}

void draw_evaluations(Plot& plot, const std::vector<ReportEvaluation>& evaluations, const Pair& pair) {
  for (const Look& look : looks) {
    std::vector<Point> points;
    for (const ReportEvaluation& one : evaluations)
      if (one.use == look.use && cell_of(one.theta[pair.x], pair.x_range, 1) == 0 &&
          cell_of(one.theta[pair.y], pair.y_range, 1) == 0)
        points.push_back({one.theta[pair.x], one.theta[pair.y]});
    const std::size_t every = points.size() / (most_points + 1) + 1;
    std::vector<Point> thinned;
    for (std::size_t i = 0; i < points.size(); i += every) thinned.push_back(points[i]);
    plot.marks(thinned, look.shape, look.colour);
  }
}

void add_read_outs(Plot& plot, const ReportData& data, const Pair& pair) {
  const Matrix counts = count_draws(data.draws, pair, read_out_cells);
  const double all = std::max(1.0, counts.sum());
  std::map<std::pair<Index, Index>, std::int64_t> evaluations;
  for (const ReportEvaluation& one : data.evaluations) {
    const Index x = cell_of(one.theta[pair.x], pair.x_range, read_out_cells);
    const Index y = cell_of(one.theta[pair.y], pair.y_range, read_out_cells);
    if (x >= 0 && y >= 0) ++evaluations[{y, x}];
  }
  const auto name = [&](Index p) { return short_name(data.draws.names()[static_cast<std::size_t>(p)], 16); };
  for (Index y = 0; y < read_out_cells; ++y)
    for (Index x = 0; x < read_out_cells; ++x) {
      const auto paid = evaluations.find({y, x});
      if (counts(x, y) == 0 && paid == evaluations.end()) continue;
      const Range xs = cell_range(x, pair.x_range, read_out_cells),
                  ys = cell_range(y, pair.y_range, read_out_cells);
      plot.read_out(xs, ys,
                    fmt::format("{} {:.3g} to {:.3g}\n{} {:.3g} to {:.3g}\n{} of draws, {}", name(pair.x),
                                xs.low, xs.high, name(pair.y), ys.low, ys.high, percent(counts(x, y) / all),
                                counted_things(paid == evaluations.end() ? 0 : paid->second, "evaluation")));
    }
}

std::string words_for(const ReportData& data, const Pair& pair) {
  double sxy = 0, sxx = 0, syy = 0, n = 0, mx = 0, my = 0;
  const auto visit = [&](const auto& each) {
    for (Index c = 0; c < data.draws.chains(); ++c)
      for (Index i = 0; i < data.draws.length(c); ++i) {
        const double x = data.draws.chain(c)(i, pair.x), y = data.draws.chain(c)(i, pair.y);
        if (std::isfinite(x) && std::isfinite(y)) each(x, y);
      }
  };
  visit([&](double x, double y) { mx += x, my += y, n += 1; });
  if (n > 0) mx /= n, my /= n;
  visit([&](double x, double y) {
    sxy += (x - mx) * (y - my), sxx += (x - mx) * (x - mx), syy += (y - my) * (y - my);
  });
  const auto name = [&](Index p) { return data.draws.names()[static_cast<std::size_t>(p)]; };
  const double correlation = sxy / std::sqrt(sxx * syy);
  return fmt::format("{} against {}: {}.", name(pair.y), name(pair.x),
                     std::isfinite(correlation) ? fmt::format("the draws' correlation is {:.2f}", correlation)
                                                : std::string("evaluations by outcome"));
}

Range range_of_evaluations(const ReportData& data, Index p) {
  std::vector<double> values;
  for (const ReportEvaluation& one : data.evaluations)
    if (std::isfinite(one.theta[p])) values.push_back(one.theta[p]);
  std::sort(values.begin(), values.end());
  if (values.empty()) return {0, 1};
  return with_room({quantile_of_sorted(values, 0.03), quantile_of_sorted(values, 0.97)}, 0.05);
}

Range range_for(const ReportData& data, const Findings& found, Index p) {
  return found.has_draws() ? with_room(range_of_draws(data.draws, p), 0.12) : range_of_evaluations(data, p);
}

// Which panels have room for axes.
struct Edges {
  bool bottom, leftmost;
};

Markup panel(const ReportData& data, const Pair& pair, const Edges& edges, double side) {
  const auto name = [&](Index p) { return short_name(data.draws.names()[static_cast<std::size_t>(p)], 22); };
  Plot plot({.x = pair.x_range,
             .y = pair.y_range,
             .x_name = edges.bottom ? name(pair.x) : "",
             .y_name = edges.leftmost ? name(pair.y) : "",
             .x_axis = edges.bottom ? Axis::numbers : Axis::bare,
             .y_axis = edges.leftmost ? Axis::numbers : Axis::bare,
             .width = side + (edges.leftmost ? 78 : 30),
             .height = side + (edges.bottom ? 43 : 14),
             .size = PlotFrame::Size::fixed});
  draw_density(plot, data.draws, pair);
  draw_evaluations(plot, data.evaluations, pair);
  add_read_outs(plot, data, pair);
  return tag("figure", plot.svg(fmt::format("pair-{}-{}", pair.x, pair.y), words_for(data, pair)));
}

}  // namespace

Markup pair_section(const ReportData& data, const Findings& found) {
  const std::vector<Index> shown = least_converged(found, most_parameters);
  if (shown.size() < 2 || (!found.has_draws() && data.evaluations.empty())) return {};
  constexpr std::array sides = {380.0, 270.0, 220.0, 180.0, 150.0};
  const double side = sides[shown.size() - 2];
  Markup rows;
  for (std::size_t y = 1; y < shown.size(); ++y) {
    Markup row;
    for (std::size_t x = 0; x < y; ++x)
      row += panel(data,
                   {shown[x], shown[y], range_for(data, found, shown[x]), range_for(data, found, shown[y])},
                   {.bottom = y + 1 == shown.size(), .leftmost = x == 0}, side);
    rows += tag("div", {{"class", "pair-row"}}, row);
  }
  std::vector<LegendEntry> entries;
  if (found.has_draws())
    entries.push_back({"d3", Markup::text("draws: regions that hold 40, 70, 90 and 98 %")});
  for (const Look& look : looks)
    if (std::any_of(data.evaluations.begin(), data.evaluations.end(),
                    [&](const ReportEvaluation& one) { return one.use == look.use; }))
      entries.push_back({look.colour, Markup::text(look.words)});
  Markup words = legend(entries);
  if (static_cast<Index>(shown.size()) < data.draws.parameters())
    words +=
        paragraph(fmt::format("{} of {} parameters are shown: {}.", shown.size(), data.draws.parameters(),
                              found.has_draws() ? "those that have converged least" : "the first"));
  words += paragraph(
      fmt::format("At most {} evaluations of each outcome are drawn in a panel; those outside are left out.",
                  most_points));
  return section("pairs", "Pairs of parameters, and where evaluations were made",
                 words + tag("div",
                             {{"class", "scroll pairs"},
                              {"tabindex", "0"},
                              {"role", "region"},
                              {"aria-label", "Pair plots"}},
                             rows));
}

}  // namespace hunch
