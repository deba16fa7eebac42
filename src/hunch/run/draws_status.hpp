// DrawsStatus: whether the draws of a finished run may be relied on; what the exit code of `hunch run` says.
#pragma once

#include <optional>
#include <vector>

#include "hunch/diagnostics/summary.hpp"
#include "hunch/run/run.hpp"

namespace hunch {

enum class DrawsStatus {
  usable,
  not_converged,  // exit code 3: some R-hat or effective sample size misses its threshold
  refused,        // exit code 3: no certificate, so no draws
};

// `summary` is that of the run's draws.
DrawsStatus draws_status(const std::optional<Certificate>& certificate, Ending ending,
                         const std::vector<ParameterSummary>& summary, Index chains);

}  // namespace hunch
