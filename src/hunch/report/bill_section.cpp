#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "hunch/report/figure.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

using Use = ReportEvaluation::Use;

constexpr std::size_t curve_points = 200;

std::int64_t count_of(const ReportData& data, Use use) {
  return std::count_if(data.evaluations.begin(), data.evaluations.end(),
                       [&](const ReportEvaluation& one) { return one.use == use; });
}

StageCounts all_counts(const ReportData& data) {
  StageCounts all = data.burn_in;
  return all += data.kept;
}

std::string words_for(const ReportData& data, const Findings& found) {
  const auto paid = static_cast<std::int64_t>(data.evaluations.size());
  const StageCounts all = all_counts(data);
  const std::int64_t learning = paid - all.evaluated;
  std::string words = fmt::format("{} were paid for", counted_things(paid, "evaluation"));
  if (data.draw == ReportData::Draw::audited)
    return words + (found.has_draws()
                        ? ", all of them to learn and to audit. The draws are the surrogate's, and free."
                        : ", all of them to learn and to audit.");
  if (learning == paid) return words + ", all of them to learn.";
  if (learning > 0)
    words += fmt::format(", {} of them before and beside the chains' own steps, to learn", counted(learning));
  words += ". ";
  if (all.screened_out > 0)
    words += fmt::format("{} of {} proposals were screened out for free. ", counted(all.screened_out),
                         counted(all.iterations));
  if (all.evaluated > 0)
    words += fmt::format("Of the moves that were paid for {} were accepted. ", percent(all.stage2_rate()));
  // Long free moves are worth many steps each: there, counting iterations would say nothing.
  const double saved =
      1 - static_cast<double>(paid) / static_cast<double>(std::max<std::int64_t>(all.iterations, 1));
  if (saved > 0.1)
    words += fmt::format("A sampler that pays at every iteration would have paid {}: {} saved. ",
                         counted(all.iterations), percent(saved));
  if (found.least_ess_bulk && paid > 0 && data.draw == ReportData::Draw::exact)
    words += fmt::format("One effective draw (bulk) cost {} evaluations, all counted from the first.",
                         in_short(static_cast<double>(paid) / std::max(1.0, *found.least_ess_bulk)));
  return words;
}

// Evaluations against iterations of all chains; with one evaluation an iteration it would be the diagonal.
Markup paid_and_saved(const ReportData& data) {
  const auto paid = static_cast<double>(data.evaluations.size());
  const auto iterations = static_cast<double>(std::max<std::int64_t>(all_counts(data).iterations, 1));
  const std::size_t every = data.evaluations.size() / curve_points + 1;
  Plot plot({.x = with_room({0, iterations}, 0.01),
             .y = {0, std::max(paid, 1.0) * 1.08},
             .x_name = "iterations of all chains",
             .y_name = "evaluations",
             .width = 480,
             .height = 240});
  std::vector<Point> curve = {{0, 0}};
  for (std::size_t i = 0; i < data.evaluations.size(); i += every) {
    const Point at{static_cast<double>(data.evaluations[i].iterations), static_cast<double>(i + 1)};
    const Point before = curve.back();
    curve.push_back(at);
    if (at.x > before.x)
      plot.read_out(
          {before.x, at.x},
          fmt::format("{} iterations\n{} evaluations paid\n{} saved",
                      counted(static_cast<std::int64_t>(at.x)), counted(static_cast<std::int64_t>(at.y)),
                      counted(static_cast<std::int64_t>(std::max(0.0, at.x - at.y)))));
  }
  curve.push_back({iterations, paid});
  plot.area(curve, "paid");
  plot.line(curve, "accepted");
  plot.line({{0, 0}, {iterations, iterations}}, "rule expected");
  return figure(
      "paid", Markup::text("Paid, as the run went on (dashed: one evaluation an iteration)"),
      fmt::format("Evaluations paid for against iterations: {} after {} iterations.",
                  counted(static_cast<std::int64_t>(paid)), counted(static_cast<std::int64_t>(iterations))),
      plot);
}

struct Phase {
  std::string name;
  std::string unit;  // what its bands count
};

struct Band {
  std::int64_t count;
  const char* colour;
  const char* words;
};

void draw_bar(Plot& plot, double row, const Phase& phase, const std::vector<Band>& bands) {
  double all = 0;
  for (const Band& band : bands) all += static_cast<double>(band.count);
  if (!(all > 0)) return;
  double from = 0;
  for (const Band& band : bands) {
    const double to = from + static_cast<double>(band.count) / all;
    plot.bar({from, to}, {row + 0.12, row + 0.62}, band.colour);
    plot.read_out(
        {from, to}, {row, row + 1},
        fmt::format("{}: {}\n{} ({})", phase.name, band.words, counted(band.count), percent(to - from)));
    from = to;
  }
  plot.note({0, row + 0.68},
            fmt::format("{}: {}", phase.name, counted_things(static_cast<std::int64_t>(all), phase.unit)));
}

std::vector<Band> bands_of(const StageCounts& counts) {
  return {{counts.screened_out, "free", "screened out, free"},
          {counts.evaluated - counts.accepted, "rejected", "paid for, rejected"},
          {counts.accepted, "accepted", "paid for, accepted"}};
}

std::string stage_words(const std::string& phase, const StageCounts& counts) {
  if (counts.iterations == 0) return {};
  return fmt::format(" {}: stage 1 let {} of {} proposals through, stage 2 accepted {} of those.", phase,
                     percent(counts.stage1_rate()), counted(counts.iterations),
                     percent(counts.evaluated > 0 ? counts.stage2_rate() : NAN));
}

Markup by_stage(const ReportData& data) {
  Plot plot(
      {.x = {0, 1}, .y = {0, 3}, .x_axis = Axis::bare, .y_axis = Axis::bare, .width = 480, .height = 240});
  const std::int64_t learning =
      static_cast<std::int64_t>(data.evaluations.size()) - all_counts(data).evaluated;
  draw_bar(plot, 2, {"learning", "evaluation"},
           {{std::max<std::int64_t>(learning, 0), "learning", "paid for to learn"}});
  draw_bar(plot, 1, {"burn-in", "proposal"}, bands_of(data.burn_in));
  draw_bar(plot, 0, {"kept draws", "proposal"}, bands_of(data.kept));
  return figure(
      "stages", Markup::text("What became of each proposal, by phase"),
      "Acceptance by stage." + stage_words("Burn-in", data.burn_in) + stage_words("Kept draws", data.kept),
      plot);
}

}  // namespace

Markup bill_section(const ReportData& data, const Findings& found) {
  if (data.evaluations.empty()) return {};
  // Without steps that were paid for there is nothing to draw.
  if (all_counts(data).evaluated == 0) return section("bill", "The bill", paragraph(words_for(data, found)));
  std::vector<LegendEntry> entries = {{"free", Markup::text("screened out, free")},
                                      {"rejected", Markup::text("paid for, rejected")},
                                      {"accepted", Markup::text("paid for, accepted")},
                                      {"learning", Markup::text("paid for to learn")}};
  if (count_of(data, Use::failed) > 0) entries.push_back({"failed", Markup::text("the model failed")});
  return section("bill", "The bill",
                 paragraph(words_for(data, found)) + legend(entries) +
                     tag("div", {{"class", "double"}}, paid_and_saved(data) + by_stage(data)));
}

}  // namespace hunch
