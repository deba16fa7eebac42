// Efficiency: what each method pays for an effective draw, from the first evaluation on, and whether its
// answer is right.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hunch/draws/draws.hpp"
#include "hunch/explore/explore_options.hpp"
#include "hunch/problems/problem.hpp"
#include "hunch/problems/reference_moments.hpp"

namespace hunch {

struct EfficiencyOptions {
  std::vector<std::string> targets = {"T1",        "T2",     "T3", "T4", "T5", "ar1-10", "eight-schools",
                                      "normal-20", "bimodal"};
  // Of efficiency_methods(); if empty all of them, but for those that a target's dimension makes too slow.
  std::vector<std::string> methods;
  int replicates = 4;  // >= 1; each with starts and chains of its own, on the same data
  std::uint64_t seed = 1;
  int workers = 1;     // runs side by side, >= 1
  int chains = 4;      // >= 1
  Index warmup = 500;  // iterations of each chain, counted in the bill, for methods that do not choose it
  Index draws = 250;   // kept by each chain
  ExploreOptions explore = {};  // numbers of the methods that explore
  // Chains start this many posterior sds from the mean, all in one direction, instead of at prior draws; > 0.
  std::optional<double> far_start = std::nullopt;
  std::function<double()> seconds_now;  // a clock; without one a row's seconds are zero
};

// One run, judged. Minima and maxima are over parameters.
struct EfficiencyRow {
  std::string target;
  std::string method;
  int replicate = 0;
  std::int64_t evaluations = 0;  // from the very first, search and burn-in included
  double ess = 0;                // of values, smallest; zero where a chain stood still
  double ess_squares = 0;        // of squares about the mean, smallest
  double ess_bulk = 0;
  double ess_tail = 0;
  double ess_per_evaluation = 0;  // the smaller of ess and ess_squares, over evaluations
  double mean_error_sd = 0;       // largest error of a mean, in sds of the reference
  double sd_ratio_min = 0;        // of an sd to the reference's
  double sd_ratio_max = 0;
  double z_rms = 0;  // root mean square of the means' errors in Monte Carlo standard errors
  double largest_rhat = 0;
  double seconds = 0;
  std::vector<double> mean_errors;   // of each parameter: in sds of the reference, with sign
  std::vector<double> z;             // of each parameter: the same in Monte Carlo standard errors
  std::vector<double> sd_ratios;     // of each parameter
  std::optional<double> certified;   // to what: every mean in sds, and every sd's ratio to the reference's
  bool falsely_certified = false;    // one is further off, Monte Carlo error allowed for
  bool failed = false;               // a mean off by more than 0.5 sd, an ESS under 50, or no draws at all
  bool warned = false;               // the run said of itself that its draws are not to be relied on
  std::string verdict;               // both in words
  std::vector<std::string> remarks;  // what the run said of how it went
};

struct EfficiencyProgress {
  std::string target;
  std::string method;
  Index done;  // runs
  Index total;
};

// The methods by name, in the order of the study.
std::vector<std::string> efficiency_methods();

// Where chain `chain` of a replicate starts: the `attempt`-th draw from the prior, as a position. Peers start
// at the same places.
Vector efficiency_start(const Problem& problem, std::uint64_t replicate_seed, std::uint32_t chain,
                        std::uint64_t attempt);

// What the draws are worth. Fills all but target, method, replicate, evaluations, seconds and certified,
// which the row brings.
EfficiencyRow judged(EfficiencyRow row, const Draws& draws, const ReferenceMoments& reference);

// Every target by every method, `replicates` times. Chains start at draws from the prior; proposals begin
// with the prior's spread, and nothing is known of the posterior. Deterministic in its options, but for the
// seconds. Throws InputError for bad options.
std::vector<EfficiencyRow> study_efficiency(
    const EfficiencyOptions& options, const std::function<void(const EfficiencyProgress&)>& on_progress = {});

}  // namespace hunch
