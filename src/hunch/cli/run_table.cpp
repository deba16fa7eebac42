#include "hunch/cli/run_table.hpp"

#include <fmt/core.h>

#include "hunch/cli/terminal.hpp"

namespace hunch::cli {

namespace {

const char* phase_of(const ChainProgress& chain, Index warmup) {
  return chain.iteration < warmup ? "burn-in" : "sampling";
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "NA";
}

std::string row(const std::string& chain, const std::string& phase, const std::string& iteration,
                const StageCounts& counts, std::int64_t evaluations) {
  return fmt::format("{:>5}  {:<8}  {:>17}  {:>9}  {:>8}  {:>11}  {:>6}", chain, phase, iteration,
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

std::vector<std::string> table_of(const Progress& at, const Standing& standing) {
  const Index chains = std::max<Index>(1, static_cast<Index>(at.chains.size()));
  std::vector<std::string> lines{fmt::format("{:>5}  {:<8}  {:>17}  {:>9}  {:>8}  {:>11}  {:>6}", "chain",
                                             "phase", "iteration", "passed 1", "accepted", "evaluations",
                                             "saved")};
  for (std::size_t c = 0; c < at.chains.size(); ++c) {
    const ChainProgress& chain = at.chains[c];
    lines.push_back(row(std::to_string(c + 1), phase_of(chain, standing.warmup),
                        fmt::format("{} of {}", chain.iteration, at.iterations_total / chains), chain.counts,
                        chain.counts.evaluated));
  }
  lines.push_back(row("all", "", fmt::format("{} of {}", at.iterations_done, at.iterations_total), at.counts,
                      at.evaluations));
  lines.push_back(quality_text(standing.quality));
  lines.push_back(pace_text(standing));
  return lines;
}

std::string line_of(const Progress& at, const Standing& standing) {
  return fmt::format(
      "{} of {} iterations, {}; {} passed stage 1, {} of those accepted; {} evaluations, {} saved; {}; {}",
      at.iterations_done, at.iterations_total, at.kept > 0 ? "sampling" : "burn-in",
      percent(at.counts.evaluated, at.counts.iterations), percent(at.counts.accepted, at.counts.evaluated),
      at.evaluations, percent(at.counts.iterations - at.evaluations, at.counts.iterations),
      quality_text(standing.quality), pace_text(standing));
}

}  // namespace hunch::cli
