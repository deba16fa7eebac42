// BreadthScore: how far the draws of a run are from the known posterior, and what is to be called of it.
#pragma once

#include <string>
#include <vector>

#include "hunch/draws/draws.hpp"
#include "hunch/problems/breadth_reference.hpp"
#include "hunch/run/draws_status.hpp"

namespace hunch {

struct BreadthScore {
  double worst_mean_error_sd = 0;   // largest size of a mean's error, in sds of the reference
  double worst_sd_ratio = 1;        // the sd's ratio to the reference's that is farthest from 1, as a factor
  std::vector<std::string> faults;  // "u3 mean +0.31 sd", "u2 sd x 0.71"; empty where the draws are right
};

// Wrong is a mean off by more than 0.2 sds and 4 Monte Carlo errors, or an sd by more than 15 % and 4 Monte
// Carlo errors; errors of the reference count too.
BreadthScore score_draws(const Draws& draws, const BreadthReference& reference);

enum class BreadthVerdict { right, right_warned, wrong_warned, refused, silently_wrong };

inline constexpr BreadthVerdict breadth_verdicts[] = {BreadthVerdict::right, BreadthVerdict::right_warned,
                                                      BreadthVerdict::wrong_warned, BreadthVerdict::refused,
                                                      BreadthVerdict::silently_wrong};

// A run without draws is `refused`, whatever its score.
BreadthVerdict breadth_verdict(const BreadthScore& score, DrawsStatus status);

std::string name_of(BreadthVerdict verdict);  // "right, warned"

}  // namespace hunch
