#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "hunch/study/paper_table.hpp"

namespace hunch {

namespace {

std::string number(double value) {
  if (std::isnan(value)) return "-";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2g}", value);
}

std::string with_error(const Measure& measure, int digits) {
  if (std::isnan(measure.mcse)) return fmt::format("{:.{}f}", measure.mean, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", measure.mean, digits, measure.mcse, digits);
}

std::string signed_with_error(const std::optional<Measure>& measure, int digits) {
  if (!measure) return "";
  if (std::isnan(measure->mcse)) return fmt::format("{:+.{}f}", measure->mean, digits);
  return fmt::format("{:+.{}f} ± {:.{}f}", measure->mean, digits, measure->mcse, digits);
}

// The paper's number in brackets, where it has one.
std::string beside(const std::string& ours, const std::optional<PaperValues>& paper,
                   double PaperValues::*field) {
  return paper ? fmt::format("{} ({})", ours, number((*paper).*field)) : ours;
}

std::string mean_and_sum(const Measure& mean, const Measure& sum) {
  return number(mean.mean) + " / " + number(sum.mean);
}

std::vector<std::string> cells(const TableRow& row) {
  const std::string above_floor =
      row.ar_difference ? fmt::format("{:+.1f}", row.eval_percent.mean - 100 * row.ar.mean) : "";
  return {row.target,
          row.method,
          beside(with_error(row.ar, 3), row.paper, &PaperValues::ar),
          beside(with_error(row.ess, 0), row.paper, &PaperValues::ess),
          beside(mean_and_sum(row.esjd, row.esjd_sum), row.paper, &PaperValues::esjd),
          beside(with_error(row.eval_percent, 1), row.paper, &PaperValues::eval_percent),
          above_floor,
          beside(mean_and_sum(row.sd, row.sd_sum), row.paper, &PaperValues::sd),
          signed_with_error(row.ar_difference, 4),
          signed_with_error(row.ess_difference, 0)};
}

// Width on a terminal: code points, not bytes ("±" is two bytes).
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

std::string line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths) {
  std::string text = "|";
  for (std::size_t i = 0; i < row.size(); ++i)
    text += " " + row[i] + std::string(widths[i] - width(row[i]), ' ') + " |";
  return text + "\n";
}

}  // namespace

std::string to_markdown(const std::vector<TableRow>& rows, const TableOptions& options) {
  std::vector<std::vector<std::string>> table = {{"", "method", "AR", "ESS", "ESJD mean / sum", "Eval%",
                                                  "Eval% - AR", "SD mean / sum", "AR - plain",
                                                  "ESS - plain"}};
  for (const TableRow& row : rows) table.push_back(cells(row));

  std::vector<std::size_t> widths(table[0].size(), 0);
  for (const auto& row : table)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));

  std::string text = line(table[0], widths);
  text += "|";
  for (std::size_t w : widths) text += std::string(w + 2, '-') + "|";
  text += "\n";
  for (std::size_t i = 1; i < table.size(); ++i) text += line(table[i], widths);

  text += fmt::format(
      "\nOurs (the paper's Table 1 in brackets). Means over {} simulations, each with fresh data, ± their "
      "Monte Carlo "
      "standard errors; {} iterations, of which {} are burn-in; T3 with {} points.\n"
      "AR: acceptance rate. ESS: mean over parameters, as R's posterior::ess_mean. ESJD, SD: squared jump, "
      "and squared "
      "distance of truth and posterior mean, mean / sum over parameters. Eval%: evaluations per hundred kept "
      "iterations; it cannot go below 100 AR for an exact one-step method, and Eval% - AR says how far above "
      "it is. "
      "The last two columns are differences to the plain method on the same data.\n"
      "Choices the paper leaves open: scales are tuned to the paper's acceptance rate by pilots that are not "
      "counted "
      "(T4's MALA, which the paper lacks, to .574), on T1 MALA's step may shrink in the first half of "
      "burn-in, since it "
      "would stick at far starts; starts are 1.5 posterior sd from the "
      "truth (T1: uniform in [-2, 2]^2); burn-in evaluations are not in Eval%.\n",
      options.simulations, options.warmup + options.draws, options.warmup, options.t3_points);
  return text;
}

}  // namespace hunch
