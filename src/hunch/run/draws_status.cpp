#include "hunch/run/draws_status.hpp"

namespace hunch {

DrawsStatus draws_status(const std::optional<Certificate>& certificate,
                         const std::vector<std::string>& doubts, Ending ending,
                         const std::vector<ParameterSummary>& summary, Index chains) {
  if (certificate && certificate->verdict == Certificate::Verdict::refused) return DrawsStatus::refused;
  if (!doubts.empty()) return DrawsStatus::doubtful;
  // A goal is a threshold of the user's own.
  if (ending == Ending::goal_reached || converged(summary, chains)) return DrawsStatus::usable;
  return DrawsStatus::not_converged;
}

}  // namespace hunch
