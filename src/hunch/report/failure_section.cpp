#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "hunch/report/figure.hpp"
#include "hunch/report/regions.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

constexpr std::size_t most_parameters = 6, most_messages = 8, most_bytes = 1200;

// Messages that differ in their numbers alone.
struct Complaint {
  std::int64_t count = 0;
  std::string message = {};  // the first of them
};

// A message without its numbers.
std::string pattern_of(const std::string& message) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string pattern;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool within =
        i > 0 && is_digit(message[i - 1]) && i + 1 < message.size() && is_digit(message[i + 1]);
    const bool sign = message[i] == '-' && i + 1 < message.size() && is_digit(message[i + 1]);
    if (is_digit(message[i]) || sign || (message[i] == '.' && within)) {
      if (!pattern.ends_with('#')) pattern += '#';
    } else {
      pattern += message[i];
    }
  }
  return pattern;
}

Markup kinds_table(const std::vector<ReportAttempt>& attempts) {
  std::map<std::string, std::map<std::string, Complaint>> kinds;
  for (const ReportAttempt& one : attempts) {
    if (one.failure.empty()) continue;
    Complaint& complaint = kinds[one.failure][pattern_of(one.message)];
    if (complaint.count++ == 0) complaint.message = one.message;
  }
  Markup rows;
  const auto add_row = [&](const std::string& kind, std::int64_t count, const Markup& words) {
    rows += tag("tr", tag("th", {{"scope", "row"}}, named(kind)) + tag("td", counted(count)) +
                          tag("td", {{"class", "words message"}}, words));
  };
  for (const auto& [name, complaints] : kinds) {
    std::vector<Complaint> sorted;
    for (const auto& [pattern, complaint] : complaints) sorted.push_back(complaint);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Complaint& a, const Complaint& b) { return a.count > b.count; });
    std::int64_t others = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (i < most_messages)
        add_row(name, sorted[i].count, named(short_end(sorted[i].message, most_bytes)));
      else
        others += sorted[i].count;
    if (others > 0) add_row(name, others, Markup::text("other messages"));
  }
  const Markup head = tag(
      "thead", tag("tr", tag("th", {{"scope", "col"}}, "kind") + tag("th", {{"scope", "col"}}, "attempts") +
                             tag("th", {{"scope", "col"}, {"class", "words"}}, "what the model said")));
  return tag("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Failures"}},
             tag("table", head + tag("tbody", rows))) +
         paragraph("Messages that differ in their numbers alone are one row, with the first of them.");
}

Markup share_along(const std::string& name, Index p, const std::vector<Region>& regions) {
  Plot plot({.x = with_room({regions.front().range.low, regions.back().range.high}, 0.01),
             .y = {0, 1.02},
             .height = 150});
  const Region* worst = &regions.front();
  for (const Region& region : regions) {
    plot.bar(region.range, {0, region.mean}, "failed");
    plot.read_out(region.range, fmt::format("{} to {}\n{} of {} failed", in_short(region.range.low),
                                            in_short(region.range.high), percent(region.mean),
                                            counted_things(region.count, "attempt")));
    if (region.mean > worst->mean) worst = &region;
  }
  return figure("failures-" + std::to_string(p), named(name),
                fmt::format("The model fails most where {} is between {} and {}: {} of {} there.", name,
                            in_short(worst->range.low), in_short(worst->range.high), percent(worst->mean),
                            counted_things(worst->count, "attempt")),
                plot);
}

Markup by_region(const ReportData& data) {
  std::vector<double> failed;
  for (const ReportAttempt& one : data.attempts) failed.push_back(one.failure.empty() ? 0 : 1);
  std::vector<std::pair<Index, std::vector<Region>>> found;
  for (Index p = 0; p < data.draws.parameters(); ++p) {
    std::vector<double> at;
    for (const ReportAttempt& one : data.attempts) at.push_back(one.theta[p]);
    auto regions = regions_of(at, failed, 10);
    if (regions.size() >= 2) found.emplace_back(p, std::move(regions));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return contrast(a.second) > contrast(b.second); });
  if (found.size() > most_parameters) found.resize(most_parameters);
  if (found.empty()) return {};
  Markup figures;
  for (const auto& [p, regions] : found)
    figures += share_along(data.draws.names()[static_cast<std::size_t>(p)], p, regions);
  return tag("h3", "Where it failed") +
         paragraph("The share of attempts that failed, along the parameters where it differs most.") +
         grid_of(figures);
}

}  // namespace

Markup failure_section(const ReportData& data) {
  const auto failed = std::count_if(data.attempts.begin(), data.attempts.end(),
                                    [](const ReportAttempt& one) { return !one.failure.empty(); });
  if (failed == 0) return {};
  const auto counted_as_zero =
      std::count_if(data.evaluations.begin(), data.evaluations.end(),
                    [](const auto& one) { return one.use == ReportEvaluation::Use::failed; });
  std::string words = fmt::format("{} of {} at the model failed. ", counted(failed),
                                  counted_things(static_cast<std::int64_t>(data.attempts.size()), "attempt"));
  if (counted_as_zero > 0)
    words += fmt::format(
        "{} failed for good and counted as zero likelihood: what was sampled is the posterior times the "
        "chance that the model answers.",
        counted_things(counted_as_zero, "point"));
  else
    words += "Each point was answered in the end: the posterior is not changed by them.";
  return section("failures", "Failures of the model",
                 paragraph(words) + kinds_table(data.attempts) + by_region(data));
}

}  // namespace hunch
