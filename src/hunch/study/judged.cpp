#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/convergence.hpp"
#include "hunch/diagnostics/pooled.hpp"
#include "hunch/study/efficiency.hpp"

namespace hunch {
namespace {

constexpr double largest_error_allowed = 0.5;  // of a mean, in sds
constexpr double smallest_ess_allowed = 50;
constexpr double rhat_to_warn = 1.05;  // what a run of 250 draws a chain can be held to
constexpr double ess_to_warn = 100;
constexpr double errors_allowed_for = 3;  // Monte Carlo standard errors, before a certificate is called false

// Fills in what one parameter says.
void add_parameter(EfficiencyRow& row, const Matrix& x, double reference_mean, double reference_sd) {
  const double error = mean(x).value_or(infinity) - reference_mean;
  row.mean_errors.push_back(error / reference_sd);
  row.z.push_back(error / mcse_mean(x).value_or(0));
  row.sd_ratios.push_back(sd(x).value_or(0) / reference_sd);
  if (row.certified) {
    const double of_mean = errors_allowed_for * mcse_mean(x).value_or(0) / reference_sd;
    const double of_sd = errors_allowed_for * mcse_sd(x).value_or(0) / reference_sd;
    row.falsely_certified = row.falsely_certified ||
                            !(std::abs(row.mean_errors.back()) <= *row.certified + of_mean) ||
                            !(std::abs(row.sd_ratios.back() - 1) <= *row.certified + of_sd);
  }
  row.ess = std::min(row.ess, ess_mean(x).value_or(0));
  row.ess_squares = std::min(row.ess_squares, ess_squares(x).value_or(0));
  row.ess_bulk = std::min(row.ess_bulk, ess_bulk(x).value_or(0));
  row.ess_tail = std::min(row.ess_tail, ess_tail(x).value_or(0));
  row.largest_rhat = std::max(row.largest_rhat, rhat(x).value_or(infinity));
}

double largest_size(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double root_mean_square(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

std::string words_for(bool failed, bool warned, bool falsely_certified) {
  if (falsely_certified) return "the certificate is false";
  if (failed) return warned ? "failed, and said so" : "failed without saying so";
  return warned ? "right, with a warning" : "right";
}

}  // namespace

EfficiencyRow judged(EfficiencyRow row, const Draws& draws, const ReferenceMoments& reference) {
  row.ess = row.ess_squares = row.ess_bulk = row.ess_tail = infinity;
  for (Index p = 0; p < draws.parameters(); ++p)
    add_parameter(row, draws.parameter(p), reference.mean[p], reference.sd[p]);
  const double worth = std::min(row.ess, row.ess_squares);
  row.ess_per_evaluation = row.evaluations > 0 ? worth / static_cast<double>(row.evaluations) : 0;
  row.mean_error_sd = largest_size(row.mean_errors);
  const auto [low, high] = std::minmax_element(row.sd_ratios.begin(), row.sd_ratios.end());
  row.sd_ratio_min = *low;
  row.sd_ratio_max = *high;
  row.z_rms = root_mean_square(row.z);
  row.failed = !(row.mean_error_sd <= largest_error_allowed) || !(worth >= smallest_ess_allowed);
  row.warned = row.warned || !(row.largest_rhat <= rhat_to_warn) ||
               !(std::min(row.ess_bulk, row.ess_tail) >= ess_to_warn);
  row.verdict = words_for(row.failed, row.warned, row.falsely_certified);
  return row;
}

}  // namespace hunch
