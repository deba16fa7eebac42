// Assembly: what a run's chains made, put together as its result.
#pragma once

#include <vector>

#include "hunch/run/run.hpp"

namespace hunch {

ChainResult empty_result(Index draws, Index dimension, const Proposal& proposal);
void cut(ChainResult& result, Index length);  // to its first draws

// The first `length` positions of each chain, as theta.
Draws draws_of(const Parameters& parameters, const std::vector<const Matrix*>& positions, Index length);

bool meets(const Draws& draws, const Goal& goal);

// The evaluation made at exactly this position; null if there is none.
const Lesson* lesson_at(const std::vector<Lesson>& lessons, const Vector& position);

}  // namespace hunch
