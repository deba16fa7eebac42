#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "hunch/report/figure.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

constexpr std::size_t most_workers = 64;

std::vector<double> sorted_seconds(const ReportData& data) {
  std::vector<double> seconds;
  for (const ReportAttempt& one : data.attempts)
    if (std::isfinite(one.seconds) && one.seconds >= 0) seconds.push_back(std::max(one.seconds, 1e-9));
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

Markup time_of_one(const std::vector<double>& sorted) {
  const Range range = with_room({std::log10(sorted.front()), std::log10(sorted.back()) + 1e-3}, 0.05);
  const Range wide{std::min(range.low, range.high - 1), range.high};
  constexpr int bins = 30;
  std::array<double, bins> counts{};
  for (const double seconds : sorted) {
    const double at = (std::log10(seconds) - wide.low) / wide.width() * bins;
    counts[static_cast<std::size_t>(std::clamp(at, 0.0, bins - 1.0))] += 1;
  }
  Plot plot({.x = wide,
             .y = {0, 1.08 * *std::max_element(counts.begin(), counts.end())},
             .x_name = "seconds",
             .x_axis = Axis::powers,
             .width = 480,
             .height = 220});
  for (int i = 0; i < bins; ++i) {
    const Range at{wide.low + wide.width() * i / bins, wide.low + wide.width() * (i + 1) / bins};
    plot.bar(at, {0, counts[static_cast<std::size_t>(i)]}, "posterior");
    plot.read_out(
        at,
        fmt::format(
            "{} to {}\n{}", seconds_in_words(std::pow(10, at.low)), seconds_in_words(std::pow(10, at.high)),
            counted_things(static_cast<std::int64_t>(counts[static_cast<std::size_t>(i)]), "attempt")));
  }
  return figure(
      "seconds", Markup::text("Time of one evaluation"),
      fmt::format("Time of one evaluation: half within {}, nine in ten within {}, the longest {}.",
                  seconds_in_words(quantile_of_sorted(sorted, 0.5)),
                  seconds_in_words(quantile_of_sorted(sorted, 0.9)), seconds_in_words(sorted.back())),
      plot);
}

Markup use_of_workers(const ReportData& data) {
  if (!data.seconds || !(*data.seconds > 0)) return {};
  std::map<int, std::pair<double, std::int64_t>> busy;
  for (const ReportAttempt& one : data.attempts) {
    busy[one.worker].first += one.seconds;
    ++busy[one.worker].second;
  }
  if (busy.size() > most_workers) return {};
  const auto rows = static_cast<double>(busy.size());
  Plot plot({.x = {0, 1.001},
             .y = {0, rows},
             .x_name = "share of the run's time spent in the model",
             .y_axis = Axis::bare,
             .width = 480,
             .height = 60 + 26 * rows});
  double row = rows, all = 0;
  int number = 0;
  for (const auto& [worker, spent] : busy) {
    row -= 1;
    const double share = std::min(1.0, spent.first / *data.seconds);
    all += share;
    plot.bar({0, share}, {row + 0.15, row + 0.85}, "accepted");
    plot.read_out({0, 1.001}, {row, row + 1},
                  fmt::format("worker {}: {} busy\n{}, {}", ++number, percent(share),
                              counted_things(spent.second, "attempt"), seconds_in_words(spent.first)));
  }
  return figure(
      "workers", Markup::text("Use of the workers"),
      fmt::format("{} busy {} of the time on average.",
                  counted_things(static_cast<std::int64_t>(rows), "worker") + (rows == 1 ? " was" : " were"),
                  percent(all / rows)),
      plot);
}

}  // namespace

Markup time_section(const ReportData& data) {
  const std::vector<double> sorted = sorted_seconds(data);
  if (sorted.empty()) return {};
  double model_seconds = 0;
  for (const double seconds : sorted) model_seconds += seconds;
  std::string words = fmt::format("The model took {} in all", seconds_in_words(model_seconds));
  if (data.seconds) words += fmt::format("; the run took {} of wall time", seconds_in_words(*data.seconds));
  return section(
      "time", "Time",
      paragraph(words + ".") + tag("div", {{"class", "double"}}, time_of_one(sorted) + use_of_workers(data)));
}

}  // namespace hunch
