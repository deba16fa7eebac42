// ReportData: all that the page about a run shows, as plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hunch/diagnostics/efficiency.hpp"
#include "hunch/draws/draws.hpp"

namespace hunch {

struct ReportParameter {
  std::string prior;                                 // in words: "lognormal(1, 0.5)"
  std::function<double(double)> prior_density = {};  // of theta; none if the prior is improper
};

// One point that was paid for, in the order of payment.
struct ReportEvaluation {
  enum class Use { learning, accepted, rejected, failed };
  struct Said {
    double log_likelihood;
    double deviation;  // nats
  };
  Vector theta;
  double log_likelihood;  // minus infinity: zero likelihood; NaN: failed
  Use use;
  std::int64_t iterations;                  // over all chains, up to here
  std::optional<Said> said = std::nullopt;  // by the surrogate, before it was paid for
};

// One call of the model. A failed point may have several.
struct ReportAttempt {
  Vector theta;
  double seconds;
  int worker;
  std::string failure = {};  // its kind, in a word; empty: it answered
  std::string message = {};  // of a failure
};

struct ReportCertificate {
  enum class Verdict { passed, refused };
  Verdict verdict;
  std::int64_t audits;
  double error_found, error_claimed;           // nats
  std::vector<double> mean_bounds, sd_bounds;  // of each parameter: in sds, and of log sds
  std::string reason = {};                     // of a refusal
};

enum class RunStanding {
  in_progress,
  complete,
  goal_reached,
  evaluations_spent,
  time_spent,
  interrupted,
};

struct ReportData {
  std::string name;     // of the run
  std::string problem;  // what was sampled: "the program sir.py"
  std::string method;   // as the config calls it
  enum class Draw { exact, audited } draw = Draw::exact;
  std::uint64_t seed = 0;
  RunStanding standing = RunStanding::complete;

  Draws draws{{}, 0};  // theta, kept ones; chains of equal length
  std::vector<ReportParameter> parameters = {};
  StageCounts burn_in = {}, kept = {};  // over all chains
  std::vector<ReportEvaluation> evaluations = {};
  std::vector<ReportAttempt> attempts = {};  // empty: not recorded
  std::optional<ReportCertificate> certificate = std::nullopt;
  std::vector<std::string> remarks = {};  // what a user should know of how it went
  std::vector<std::string> doubts = {};   // reasons not to trust the draws that their diagnostics cannot see

  std::optional<double> seconds = std::nullopt;  // wall time over all sessions
  int workers = 1;
  std::string version = {};                                        // of Hunch
  std::string created_at = {};                                     // UTC
  std::vector<std::pair<std::string, std::string>> settings = {};  // shown as they are
  std::string config = {};                                         // the whole of it, as TOML
  std::vector<std::string> reproduce = {};                         // commands
  std::string go_on = {};            // the command that goes on with the run; empty: there is none
  std::string go_on_exactly = {};    // how to sample without a certificate, after a refusal
  std::string go_on_with_more = {};  // the command that starts a longer run from the same evaluations
};

}  // namespace hunch
