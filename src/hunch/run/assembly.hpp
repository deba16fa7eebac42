// Assembly: a run's chains, what they made so far, and its result put together of that.
#pragma once

#include <vector>

#include "hunch/run/run.hpp"

namespace hunch {

enum class Phase { warmup, kept };

struct Chain {
  std::uint32_t id;
  State state;
  ChainResult result;

  Index iterations() const { return result.warmup.iterations + result.kept.iterations; }  // that are over
};

// One iteration of a chain is over: counts it, and keeps the state or remembers it as burn-in.
void record(Chain& chain, const StepInfo& info, Phase phase);

Index iterations(const std::vector<Chain>& chains);
Index kept_by_all(const std::vector<Chain>& chains);  // draws; none without chains
Draws draws_of(const Parameters& parameters, const std::vector<Chain>& chains, Index length);
std::vector<ChainResult> results_of(std::vector<Chain> chains, Index length);

// Refers to both: they must outlive it. It tells of so many iterations in all, from `from` on.
Progress progress_of(const Parameters& parameters, const std::vector<Chain>& chains, Phase from,
                     Index iterations_total, std::int64_t evaluations);

ChainResult empty_result(Index draws, Index dimension, const Proposal& proposal);

// The first `length` positions of each chain, as theta.
Draws draws_of(const Parameters& parameters, const std::vector<const Matrix*>& positions, Index length);

bool meets(const Draws& draws, const Goal& goal);

// The evaluation made at exactly this position; null if there is none.
const Lesson* lesson_at(const std::vector<Lesson>& lessons, const Vector& position);

}  // namespace hunch
