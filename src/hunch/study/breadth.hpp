// Breadth: the default method on many posteriors with known moments: right, warned, refused or silently
// wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hunch/explore/explore_options.hpp"
#include "hunch/problems/breadth_posterior.hpp"
#include "hunch/study/breadth_score.hpp"

namespace hunch {

struct BreadthOptions {
  std::vector<std::string> posteriors;  // names; all of them, or those of `half`, if empty
  std::optional<Half> half = std::nullopt;
  std::vector<std::string> exactness = {"exact", "audited"};
  int replicates = 1;                   // runs of each posterior, with seeds of their own, >= 1
  std::uint64_t seed = 1;               // of the first replicate
  int jobs = 1;                         // runs side by side, >= 1
  std::int64_t chains = 4;              // >= 1
  std::int64_t draws = 250;             // kept by each chain, >= 1
  ExploreOptions explore = {};          // numbers of the method
  double max_seconds = 600;             // of one run, > 0; one that takes longer counts as refused
  std::function<double()> cpu_seconds;  // of the calling thread; without it a row's CPU time is zero
};

// One run, judged.
struct BreadthRow {
  std::string posterior;
  Index dimension = 0;
  std::string group;
  Half half = Half::tune;
  PriorWidth prior = PriorWidth::fixed;
  std::string exactness;
  std::uint64_t seed = 0;
  BreadthVerdict verdict = BreadthVerdict::refused;
  std::int64_t evaluations = 0;
  // Evaluations made when one was first within d/2 + 3 nats of the highest known log posterior; none if none
  // was, or if the highest is not known.
  std::optional<std::int64_t> evaluations_to_bulk = std::nullopt;
  std::optional<std::int64_t> evaluations_to_found = std::nullopt;  // when the run declared the bulk found
  std::optional<std::int64_t> rounds_to_found = std::nullopt;
  std::optional<std::int64_t> evaluations_to_learned = std::nullopt;  // when it began to draw
  std::int64_t rounds = 0;                                            // batches of evaluations
  double own_ms_per_evaluation = 0;   // CPU time less that inside the likelihood
  std::optional<BreadthScore> score;  // of the draws, if there are any
  std::string note;                   // faults of the draws, or the reason of a refusal
};

struct BreadthProgress {
  const BreadthRow& row;  // the run that ended
  Index done;             // runs
  Index total;
};

// Every posterior with every exactness, `replicates` times, as `hunch run` would sample it with method auto
// and no starts given: values only, evaluated in batches. Rows are in that order and depend on the options
// alone, but for CPU times and `max_seconds`. Throws InputError for bad options.
std::vector<BreadthRow> study_breadth(const BreadthOptions& options,
                                      const std::function<void(const BreadthProgress&)>& on_progress = {});

}  // namespace hunch
