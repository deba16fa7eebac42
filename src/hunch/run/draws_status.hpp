// DrawsStatus: whether the draws of a finished run may be relied on; what the exit code of `hunch run` says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hunch/diagnostics/summary.hpp"
#include "hunch/run/run.hpp"

namespace hunch {

enum class DrawsStatus {
  usable,
  not_converged,  // exit code 3: some R-hat or effective sample size misses its threshold
  doubtful,       // exit code 3: draws or not, there is a doubt that no diagnostic of draws can see
  refused,        // exit code 3: no certificate, so no draws
};

// `summary` is that of the run's draws, `doubts` are the run's own.
DrawsStatus draws_status(const std::optional<Certificate>& certificate,
                         const std::vector<std::string>& doubts, Ending ending,
                         const std::vector<ParameterSummary>& summary, Index chains);

}  // namespace hunch
