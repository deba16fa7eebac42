// LiveDiagnostics: R-hat and effective sample size of the draws so far, asked for often and computed rarely.
#pragma once

#include <optional>
#include <vector>

#include "hunch/diagnostics/summary.hpp"
#include "hunch/run/run.hpp"

namespace hunch::cli {

// Over all parameters; no value where some parameter has none.
struct Quality {
  std::optional<double> worst_rhat;
  std::optional<double> least_ess_bulk;
  std::optional<double> least_ess_tail;
};

std::optional<Quality> quality_of(const std::vector<ParameterSummary>& summary);  // nothing of nothing

// Takes at most some 2 % of the time: what it cost last says when it may be done again.
class LiveDiagnostics {
 public:
  const std::optional<Quality>& look(const Progress& at, double now);

 private:
  std::optional<Quality> quality_;
  double due_ = 2;
};

}  // namespace hunch::cli
