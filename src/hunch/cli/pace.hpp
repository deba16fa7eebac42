// Pace: how fast iterations and evaluations go of late, and how long the rest will take.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "hunch/core/types.hpp"

namespace hunch::cli {

// Of late: the last half of the time, at least the last half minute; a resumed run's beginning, which the
// store answers in no time, is soon forgotten.
class Pace {
 public:
  void note(double seconds, Index iterations, std::int64_t evaluations);
  std::optional<double> evaluations_per_second() const;
  std::optional<double> seconds_left(Index iterations_total) const;

 private:
  struct Mark {
    double seconds;
    Index iterations;
    std::int64_t evaluations;
  };
  std::deque<Mark> marks_;  // the oldest that counts first; the last is now
};

}  // namespace hunch::cli
