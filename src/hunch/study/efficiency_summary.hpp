// EfficiencySummary: the study's runs of one method on one target, taken together, as numbers and as a table.
#pragma once

#include <string>
#include <vector>

#include "hunch/study/efficiency.hpp"

namespace hunch {

struct EfficiencySummary {
  std::string target;
  std::string method;
  int runs = 0;
  double evaluations = 0;  // median over the runs
  double ess = 0;          // means over the runs, here and below
  double ess_squares = 0;
  double ess_per_evaluation = 0;
  double least_ess_per_evaluation = 0;  // of any run
  double most_ess_per_evaluation = 0;
  double largest_mean_error_sd = 0;  // of any run
  double sd_ratio_min = 0;           // over parameters, of their means over the runs that have draws
  double sd_ratio_max = 0;
  double z_rms = 0;  // over parameters and the runs that have draws
  int failed = 0;
  int failed_silently = 0;
  int falsely_certified = 0;
  double seconds = 0;
};

// In the order in which target and method first appear.
std::vector<EfficiencySummary> summarise(const std::vector<EfficiencyRow>& rows);

// Plain text, a line for each summary, with a caption that states what was done.
std::string to_text(const std::vector<EfficiencySummary>& summaries, const EfficiencyOptions& options);

}  // namespace hunch
