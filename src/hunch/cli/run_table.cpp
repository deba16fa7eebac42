#include "hunch/cli/run_table.hpp"

#include <fmt/core.h>

#include <cmath>

#include "hunch/cli/terminal.hpp"

namespace hunch::cli {

namespace {

// A method that explores by itself has no chains while it does.
const char* phase_of_all(const Progress& at) {
  return at.chains.empty() ? "exploring" : "";
}

// What is to be done beyond the draws is burn-in.
const char* phase_of(const ChainProgress& chain, Index iterations, Index draws) {
  return chain.iteration < iterations - draws ? "burn-in" : "sampling";
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0 || part < 0) return "-";  // exploring costs more than it saves at first
  const double rounded = std::round(100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return fmt::format("{:.0f} %", rounded + 0.0);  // never -0
}

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "NA";
}

std::string row(const std::string& chain, const std::string& phase, const std::string& iteration,
                const StageCounts& counts, std::int64_t evaluations) {
  return fmt::format("{:>5}  {:<9}  {:>17}  {:>9}  {:>8}  {:>11}  {:>6}", chain, phase, iteration,
                     percent(counts.evaluated, counts.iterations), percent(counts.accepted, counts.evaluated),
                     evaluations, percent(counts.iterations - evaluations, counts.iterations));
}

std::string quality_text(const std::optional<Quality>& quality) {
  if (!quality) return "R-hat and ESS: after some draws";
  return fmt::format("R-hat {} at worst; ESS at least {} bulk, {} tail", number(quality->worst_rhat, 3),
                     number(quality->least_ess_bulk, 0), number(quality->least_ess_tail, 0));
}

std::string pace_text(const Standing& standing) {
  std::string text;
  if (standing.evaluations_per_second)
    text = fmt::format("{:.3g} evaluations/s; ", *standing.evaluations_per_second);
  text += clock_text(standing.seconds_taken) + " taken";
  if (standing.seconds_left) text += ", about " + clock_text(*standing.seconds_left) + " left";
  return text;
}

}  // namespace

std::string phase_in_words(const Progress& at, Index draws) {
  if (at.chains.empty()) return "exploring";
  const auto chains = static_cast<Index>(at.chains.size());
  return phase_of(at.chains.front(), at.iterations_total / chains, draws);
}

std::vector<std::string> table_of(const Progress& at, const Standing& standing) {
  const Index each = at.iterations_total / std::max<Index>(1, static_cast<Index>(at.chains.size()));
  std::vector<std::string> lines{fmt::format("{:>5}  {:<9}  {:>17}  {:>9}  {:>8}  {:>11}  {:>6}", "chain",
                                             "phase", "iteration", "passed 1", "accepted", "evaluations",
                                             "saved")};
  for (std::size_t c = 0; c < at.chains.size(); ++c) {
    const ChainProgress& chain = at.chains[c];
    lines.push_back(row(std::to_string(c + 1), phase_of(chain, each, standing.draws),
                        fmt::format("{} of {}", chain.iteration, each), chain.counts,
                        chain.counts.evaluated));
  }
  lines.push_back(row("all", phase_of_all(at),
                      fmt::format("{} of {}", at.iterations_done, at.iterations_total), at.counts,
                      at.evaluations));
  lines.push_back(quality_text(standing.quality));
  lines.push_back(pace_text(standing));
  return lines;
}

std::string line_of(const Progress& at, const Standing& standing) {
  return fmt::format(
      "{} of {} iterations, {}; {} passed stage 1, {} of those accepted; {} evaluations, {} saved; {}; {}",
      at.iterations_done, at.iterations_total, phase_in_words(at, standing.draws),
      percent(at.counts.evaluated, at.counts.iterations), percent(at.counts.accepted, at.counts.evaluated),
      at.evaluations, percent(at.counts.iterations - at.evaluations, at.counts.iterations),
      quality_text(standing.quality), pace_text(standing));
}

}  // namespace hunch::cli
