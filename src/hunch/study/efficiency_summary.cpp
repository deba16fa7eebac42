#include "hunch/study/efficiency_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

constexpr const char* caption = R"(
{} chains from draws of the prior, {} draws kept by each after {} iterations of burn-in where the method does
not choose its own; every evaluation counted. audited gives 20 times as many, which are free. Peers, if any, have
lengths of their own: see evals.
evals        median over the replicates
ess, ess^2   of values and of squares, smallest over parameters, mean over the replicates
per eval     the smaller of both over the evaluations; in brackets the least of any replicate
error        the largest of any mean of any replicate, in sds
sd ratio     to the reference's, smallest and largest over parameters, each the mean over the replicates
z rms        errors of the means in Monte Carlo standard errors, over parameters and replicates
failed       a mean off by more than 0.5 sd, an ESS under 50, or no draws; ! where some run did not warn of it
false        certificates with a mean off by more than 0.05 sd or an sd by more than 5 %, beyond 3 Monte Carlo errors
)";

using Runs = std::vector<const EfficiencyRow*>;

double mean_of(const Runs& runs, double EfficiencyRow::*field) {
  double sum = 0;
  for (const EfficiencyRow* run : runs) sum += run->*field;
  return sum / static_cast<double>(runs.size());
}

double median_evaluations(const Runs& runs) {
  std::vector<std::int64_t> bills;
  for (const EfficiencyRow* run : runs) bills.push_back(run->evaluations);
  std::sort(bills.begin(), bills.end());
  const std::size_t n = bills.size();
  return 0.5 * static_cast<double>(bills[(n - 1) / 2] + bills[n / 2]);
}

void pool_errors(EfficiencySummary& summary, const Runs& runs) {
  std::vector<double> ratio_sums;
  double squares = 0, with_draws = 0, count = 0;
  for (const EfficiencyRow* run : runs) {
    if (run->sd_ratios.empty()) continue;
    ratio_sums.resize(run->sd_ratios.size());
    for (std::size_t p = 0; p < run->sd_ratios.size(); ++p) {
      ratio_sums[p] += run->sd_ratios[p];
      squares += run->z[p] * run->z[p];
      ++count;
    }
    ++with_draws;
  }
  if (ratio_sums.empty()) return;
  const auto [low, high] = std::minmax_element(ratio_sums.begin(), ratio_sums.end());
  summary.sd_ratio_min = *low / with_draws;
  summary.sd_ratio_max = *high / with_draws;
  summary.z_rms = std::sqrt(squares / count);
}

EfficiencySummary summary_of(const Runs& runs) {
  EfficiencySummary summary;
  summary.target = runs.front()->target;
  summary.method = runs.front()->method;
  summary.runs = static_cast<int>(runs.size());
  summary.evaluations = median_evaluations(runs);
  summary.ess = mean_of(runs, &EfficiencyRow::ess);
  summary.ess_squares = mean_of(runs, &EfficiencyRow::ess_squares);
  summary.ess_per_evaluation = mean_of(runs, &EfficiencyRow::ess_per_evaluation);
  summary.seconds = mean_of(runs, &EfficiencyRow::seconds);
  summary.least_ess_per_evaluation = infinity;
  for (const EfficiencyRow* run : runs) {
    summary.least_ess_per_evaluation = std::min(summary.least_ess_per_evaluation, run->ess_per_evaluation);
    summary.most_ess_per_evaluation = std::max(summary.most_ess_per_evaluation, run->ess_per_evaluation);
    summary.largest_mean_error_sd = std::max(summary.largest_mean_error_sd, run->mean_error_sd);
    summary.failed += run->failed ? 1 : 0;
    summary.failed_silently += run->failed && !run->warned ? 1 : 0;
    summary.falsely_certified += run->falsely_certified ? 1 : 0;
  }
  pool_errors(summary, runs);
  return summary;
}

}  // namespace

std::vector<EfficiencySummary> summarise(const std::vector<EfficiencyRow>& rows) {
  std::vector<Runs> groups;
  for (const EfficiencyRow& row : rows) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Runs& runs) {
      return runs.front()->target == row.target && runs.front()->method == row.method;
    });
    if (found == groups.end())
      groups.push_back({&row});
    else
      found->push_back(&row);
  }
  std::vector<EfficiencySummary> summaries;
  for (const Runs& runs : groups) summaries.push_back(summary_of(runs));
  return summaries;
}

std::string to_text(const std::vector<EfficiencySummary>& summaries, const EfficiencyOptions& options) {
  std::string text = fmt::format("{:<14}{:<18}{:>8}{:>7}{:>7}{:>17}{:>8}{:>12}{:>7}{:>9}{:>7}{:>9}\n",
                                 "target", "method", "evals", "ess", "ess^2", "per eval (least)", "error",
                                 "sd ratio", "z rms", "failed", "false", "seconds");
  for (const EfficiencySummary& s : summaries) {
    text += fmt::format(
        "{:<14}{:<18}{:>8.0f}{:>7.0f}{:>7.0f}{:>9.3f} ({:.3f}){:>8.2f}{:>6.2f}-{:<5.2f}{:>7.2f}", s.target,
        s.method, s.evaluations, s.ess, s.ess_squares, s.ess_per_evaluation, s.least_ess_per_evaluation,
        s.largest_mean_error_sd, s.sd_ratio_min, s.sd_ratio_max, s.z_rms);
    text += fmt::format("{:>9}{:>7}{:>9.2f}\n",
                        fmt::format("{}/{}{}", s.failed, s.runs, s.failed_silently > 0 ? "!" : ""),
                        s.falsely_certified, s.seconds);
  }
  return text + fmt::format(caption, options.chains, options.draws, options.warmup);
}

}  // namespace hunch
