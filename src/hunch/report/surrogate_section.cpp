#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hunch/report/figure.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

using Use = ReportEvaluation::Use;

constexpr double far_tail = 30;  // nats below the best: surrogates soften what is further down
constexpr std::size_t most_worst = 100, most_points = 600;

// Evaluations that a prediction can be compared with.
Compared compared(const ReportData& data) {
  double best = -INFINITY;
  for (const ReportEvaluation& one : data.evaluations)
    if (std::isfinite(one.log_likelihood)) best = std::max(best, one.log_likelihood);
  Compared chosen;
  for (const ReportEvaluation& one : data.evaluations)
    if (one.said && std::isfinite(one.said->log_likelihood) && one.said->deviation > 0 &&
        one.log_likelihood >= best - far_tail)
      chosen.push_back(&one);
  return chosen;
}

double error_of(const ReportEvaluation& one) {
  return one.log_likelihood - one.said->log_likelihood;
}

double z_of(const ReportEvaluation& one) {
  return error_of(one) / one.said->deviation;
}

// The largest errors, and some of all others.
Compared thinned(Compared all) {
  const std::size_t worst = std::min(all.size(), most_worst);
  std::partial_sort(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(worst), all.end(),
      [](const auto* a, const auto* b) { return std::abs(error_of(*a)) > std::abs(error_of(*b)); });
  Compared some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(worst));
  const std::size_t every = (all.size() - worst) / (most_points + 1) + 1;
  for (std::size_t i = worst; i < all.size(); i += every) some.push_back(all[i]);
  return some;
}

double median_error(const Compared& all) {
  std::vector<double> errors;
  for (const auto* one : all) errors.push_back(std::abs(error_of(*one)));
  std::sort(errors.begin(), errors.end());
  return quantile_of_sorted(errors, 0.5);
}

Markup predicted_against_actual(const Compared& all) {
  Range range{INFINITY, -INFINITY};
  for (const auto* one : all)
    range = {std::min(range.low, one->log_likelihood), std::max(range.high, one->log_likelihood)};
  range = with_room(range, 0.05);
  Plot plot({.x = range,
             .y = range,
             .x_name = "predicted log-likelihood",
             .y_name = "actual",
             .width = 480,
             .height = 340});
  plot.diagonal("expected");
  struct Look {
    Use use;
    Shape shape;
    const char* colour;
  };
  constexpr std::array looks = {Look{Use::learning, Shape::dot, "learning"},
                                Look{Use::rejected, Shape::ring, "rejected"},
                                Look{Use::accepted, Shape::dot, "accepted"}};
  const Compared some = thinned(all);
  for (const Look& look : looks) {
    std::vector<Point> points;
    for (const auto* one : some)
      if (one->use == look.use) points.push_back({one->said->log_likelihood, one->log_likelihood});
    plot.marks(points, look.shape, look.colour);
  }
  const double reach = range.width() / 70;
  for (std::size_t i = 0; i < some.size(); i += some.size() / 200 + 1) {
    const ReportEvaluation& one = *some[i];
    const double x = one.said->log_likelihood, y = one.log_likelihood;
    plot.read_out({x - reach, x + reach}, {y - reach, y + reach},
                  fmt::format("predicted {} \xC2\xB1 {}\nactual {}", in_short(x),
                              in_short(one.said->deviation), in_short(y)));
  }
  return figure(
      "predicted", Markup::text("Predicted against actual"),
      fmt::format(
          "Predicted against actual log-likelihood of {}: half of the predictions are within {} nats.",
          counted_things(static_cast<std::int64_t>(all.size()), "evaluation"), in_short(median_error(all))),
      plot);
}

double coverage(const Compared& all, double z) {
  const auto inside =
      std::count_if(all.begin(), all.end(), [&](const auto* one) { return std::abs(z_of(*one)) <= z; });
  return static_cast<double>(inside) / static_cast<double>(all.size());
}

std::string coverage_words(const Compared& all) {
  return fmt::format("Intervals that should hold 50, 80 and 95 % of the actual values held {}, {} and {}.",
                     percent(coverage(all, 0.6745)), percent(coverage(all, 1.2816)),
                     percent(coverage(all, 1.96)));
}

Markup z_scores(const Compared& all) {
  constexpr int bins = 24;
  constexpr double edge = 4;
  std::array<double, bins> density{};
  for (const auto* one : all) {
    const double z = std::clamp(z_of(*one), -edge + 1e-9, edge - 1e-9);
    density[static_cast<std::size_t>((z + edge) / (2 * edge) * bins)] +=
        bins / (2 * edge * static_cast<double>(all.size()));
  }
  const double top = std::max(0.45, *std::max_element(density.begin(), density.end()));
  Plot plot({.x = {-edge, edge},
             .y = {0, 1.08 * top},
             .x_name = "z-score",
             .y_axis = Axis::bare,
             .width = 480,
             .height = 340});
  std::vector<Point> normal;
  for (int i = 0; i <= 80; ++i) {
    const double z = -edge + 2 * edge * i / 80;
    normal.push_back({z, std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi)});
  }
  for (int i = 0; i < bins; ++i) {
    const Range at{-edge + 2 * edge * i / bins, -edge + 2 * edge * (i + 1) / bins};
    const double height = density[static_cast<std::size_t>(i)];
    plot.bar(at, {0, height}, "posterior");
    plot.read_out(at, fmt::format("z {:.2f} to {:.2f}\n{} of predictions", at.low, at.high,
                                  percent(height * at.width())));
  }
  plot.line(normal, "prior");
  return figure("z-scores",
                Markup::text("Errors in claimed deviations (line: as claimed; outermost bars: all beyond)"),
                "Histogram of (actual - predicted) / claimed deviation. " + coverage_words(all), plot);
}

}  // namespace

Markup surrogate_section(const ReportData& data) {
  const Compared all = compared(data);
  if (all.size() < 5) return {};
  const auto said = std::count_if(data.evaluations.begin(), data.evaluations.end(),
                                  [](const ReportEvaluation& one) { return one.said.has_value(); });
  std::string words = fmt::format("What the surrogate said of {} before {} paid for. ",
                                  counted_things(static_cast<std::int64_t>(all.size()), "evaluation"),
                                  all.size() == 1 ? "it was" : "they were");
  if (said > static_cast<std::int64_t>(all.size()))
    words +=
        fmt::format("{} more, more than {:.0f} nats below the best or without a deviation, are left out. ",
                    counted(said - static_cast<std::int64_t>(all.size())), far_tail);
  words += fmt::format("Half of the predictions were within {} nats of the actual value. ",
                       in_short(median_error(all)));
  words += coverage_words(all);
  if (data.draw == ReportData::Draw::exact)
    words += " The draws do not lean on any of this: a poor surrogate costs evaluations, not correctness.";
  return section("surrogate", "What the surrogate knew",
                 paragraph(words) +
                     tag("div", {{"class", "double"}}, predicted_against_actual(all) + z_scores(all)) +
                     unsure_part(data, all));
}

}  // namespace hunch
