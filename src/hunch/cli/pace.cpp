#include "hunch/cli/pace.hpp"

#include <algorithm>

namespace hunch::cli {

void Pace::note(double seconds, Index iterations, std::int64_t evaluations) {
  // The newest mark moves on until it is far enough from the one before it: some two hundred are kept.
  const double apart = std::max(0.5, seconds / 400);
  if (marks_.size() >= 2 && seconds - marks_[marks_.size() - 2].seconds < apart) marks_.pop_back();
  marks_.push_back({seconds, iterations, evaluations});
  const double window = std::max(30.0, 0.5 * seconds);
  while (marks_.size() > 2 && seconds - marks_[1].seconds >= window) marks_.pop_front();
}

std::optional<double> Pace::evaluations_per_second() const {
  if (marks_.size() < 2 || !(marks_.back().seconds > marks_.front().seconds)) return std::nullopt;
  return static_cast<double>(marks_.back().evaluations - marks_.front().evaluations) /
         (marks_.back().seconds - marks_.front().seconds);
}

std::optional<double> Pace::seconds_left(Index iterations_total) const {
  if (marks_.empty()) return std::nullopt;
  const Index left = iterations_total - marks_.back().iterations;
  if (left <= 0) return 0;
  const Index lately = marks_.back().iterations - marks_.front().iterations;
  if (lately <= 0) return std::nullopt;
  return (marks_.back().seconds - marks_.front().seconds) * static_cast<double>(left) /
         static_cast<double>(lately);
}

}  // namespace hunch::cli
