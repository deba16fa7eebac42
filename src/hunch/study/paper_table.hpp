// PaperTable: the paper's comparison, run again: MH, GP-MH, MALA and GP-MALA on its five targets.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hunch/run/run.hpp"

namespace hunch {

struct TableOptions {
  int simulations = 30;  // each with fresh data, >= 1
  std::vector<std::string> targets = {"T1", "T2", "T3", "T4", "T5"};
  int workers = 1;      // simulations run side by side, >= 1
  int t3_points = 200;  // 1000 in the paper
  std::uint64_t seed = 1;
  Index warmup = 500;
  Index draws = 2000;
  RunSettings gp;  // screens, learning and covariance of the GP methods; the rest is set by the table
};

// One number of the table for one method, over the simulations.
struct Measure {
  double mean;
  double mcse;  // standard error over the simulations; NaN for a single one
};

struct PaperValues {
  double ar, ess, esjd, eval_percent, sd;
};

struct TableRow {
  std::string target;
  std::string method;
  Measure ar;            // acceptance rate of kept iterations
  Measure ess;           // mean over parameters
  Measure esjd;          // mean over parameters
  Measure esjd_sum;      // sum over parameters
  Measure eval_percent;  // evaluations in the kept iterations, per hundred
  Measure sd;            // squared distance of truth and posterior mean, mean over parameters
  Measure sd_sum;
  Measure warmup_evaluations;
  // GP rows, against the plain method on the same data: paired differences.
  std::optional<Measure> ar_difference;
  std::optional<Measure> ess_difference;
  std::optional<PaperValues> paper;
};

struct TableProgress {
  std::string target;
  Index done;  // simulations, over all targets
  Index total;
};

// Deterministic in its options, whatever the number of workers. Throws InputError for bad options.
std::vector<TableRow> paper_table(const TableOptions& options,
                                  const std::function<void(const TableProgress&)>& on_progress = {});

// The rows beside the paper's, as markdown, with a caption that states the choices made.
std::string to_markdown(const std::vector<TableRow>& rows, const TableOptions& options);

}  // namespace hunch
