// Find: from points of the prior to the bulk of the posterior: climbs from as many starts as it takes for
// them to agree.
#pragma once

#include <optional>
#include <vector>

#include "hunch/explore/climb.hpp"

namespace hunch {

struct FindOptions {
  Index width = 1;        // evaluations that are asked for together, >= 1
  Index most_climbs = 6;  // from different starts, >= 1
};

struct Found {
  Climbed best;
  std::vector<Climbed> others = {};  // other climbs that reached a top of their own
  Index climbs = 1;
  // Climbs agree, or came to the top from every start that the first one does not explain.
  bool confirmed = true;

  std::vector<Climbed> tops() const;  // the best first
};

// Whether either is as near the other as draws of its normal approximation, and of comparable height.
bool same_place(const Optimum& a, const Optimum& b);

// From the evaluations so far, some of which must be possible, to the bulk. What an earlier search came to
// counts as tops that climbs end at.
Found find(const Parameters& parameters, const PriorBox& box, std::vector<Lesson>& lessons,
           const EvaluateBatch& evaluate, const FindOptions& options, std::uint64_t seed,
           const std::optional<Found>& earlier = std::nullopt);

}  // namespace hunch
