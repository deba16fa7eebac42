// Run: the one loop. Chains screen for free, survivors are paid for together, all chains learn from all of
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hunch/diagnostics/efficiency.hpp"
#include "hunch/draws/draws.hpp"
#include "hunch/evaluation/evaluator.hpp"
#include "hunch/explore/explore_options.hpp"
#include "hunch/run/paid.hpp"
#include "hunch/sampler/adaptation.hpp"
#include "hunch/sampler/two_stage.hpp"
#include "hunch/surrogate/emulator.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

enum class Method {
  mh,
  gp_mh,
  mala,
  gp_mala,
  transition,  // explore, then draws by surrogate transitions alone
  automatic,   // `auto`: the same, and plain screening where transitions do not help
};
enum class Learning {
  proceed,  // `continue`: every evaluation is learned from, also while draws are kept (the paper)
  freeze,   // nothing changes after burn-in: each kept draw comes from one exactly reversible kernel
  epochs,   // frozen for ever longer stretches, and learned from in between
};
enum class Tuning {
  adapt,  // overall scale and the directions' relative ones
  eased,  // the given proposal suits the bulk: in the first half of burn-in its scale may shrink, to leave a
          // steep start
  scale,  // its scale alone, throughout burn-in
  fixed,
};

// What a draw is: of the posterior itself, or of a surrogate that was audited against it.
enum class Exactness { exact, audited };

enum class OnFailure {
  stop,    // a failed evaluation ends the run
  reject,  // it counts as zero likelihood: the target becomes what is left where the model works
};

struct Goal {
  double ess = 400;    // smallest bulk and tail effective sample size over parameters, > 0
  double rhat = 1.01;  // largest R-hat over parameters, > 1
};

// What ends a run before all draws are made; nothing is set by default. None changes a draw that was made.
struct Budget {
  std::optional<std::int64_t> evaluations =
      std::nullopt;                              // points paid for, those the store answered included, >= 1
  std::optional<double> seconds = std::nullopt;  // of this session, > 0
  std::optional<Goal> goal = std::nullopt;
};

enum class Ending { complete, goal_reached, evaluations_spent, time_spent, interrupted };

inline bool uses_gradient(Method method) {
  return method == Method::mala || method == Method::gp_mala;
}
inline bool uses_surrogate(Method method) {
  return method != Method::mh && method != Method::mala;
}
// Whether it finds its own way from the prior, and ends burn-in by itself.
inline bool explores(Method method) {
  return method == Method::transition || method == Method::automatic;
}

struct RunSettings {
  Method method = Method::gp_mh;
  Learning learning = Learning::proceed;
  Screen screen = Screen::early;  // of kept draws; burn-in always screens by `early`, which never sticks
  double screen_floor = 0;        // lowest alpha_1, in [0, 1)
  Index warmup = 500;             // iterations of each chain that are not kept, >= 0
  Index draws = 1000;             // iterations of each chain that are kept, >= 1
  std::uint64_t seed = 1;
  Tuning tuning = Tuning::adapt;  // of the proposal, in burn-in only
  std::optional<double> target_acceptance =
      std::nullopt;               // (0, 1); by the method and the dimension if not given
  Index initial_evaluations = 3;  // before the first step, counting the chains' starts; >= 1
  CovarianceFamily covariance = CovarianceFamily::squared_exponential;
  OnFailure on_failure = OnFailure::stop;
  Budget budget = {};
  Exactness exactness = Exactness::exact;  // `audited` goes with transition and auto
  double tolerance = 0.05;                 // of audited draws: every mean in sds, and every log sd, (0, 1)
  // The model gives gradients, and what explores may ask for them while it does. mala and gp-mala always do.
  bool gradients = false;
  ExploreOptions explore = {};  // of transition and auto; for studies, no setting of users
};

// Throws InputError: "warmup: got -1, expected 0 or more".
void validate(const RunSettings& settings);

struct ChainProgress {
  Index iteration;        // the next one: so many are over, burn-in included
  StageCounts counts;     // over both phases
  StageCounts kept = {};  // of these, the kept draws'
};

struct Progress {
  Index iterations_done;  // over all chains
  Index iterations_total;
  std::int64_t evaluations;      // points paid for, those the store answered included
  StageCounts counts;            // over all chains and both phases
  Index kept;                    // draws that every chain has kept
  std::function<Draws()> draws;  // those draws; costs a copy
  std::vector<ChainProgress> chains;
  const std::vector<Paid>* ledger =
      nullptr;  // all that was paid for so far, in order; never null inside a run
};

struct ChainResult {
  Matrix positions;  // draws x parameters, kept ones only
  // One entry for each kept draw.
  Vector log_posterior;  // of the position, up to a constant
  std::vector<bool> accepted;
  std::vector<bool> evaluated;
  Vector stage1_probability;
  StageCounts warmup;
  StageCounts kept;
  Proposal proposal;  // the one that kept draws were made with
  std::vector<Vector> warmup_positions = {};
};

// What audits of a surrogate found. Only a passed one has bounds.
struct Certificate {
  enum class Verdict { passed, refused };
  Verdict verdict = Verdict::refused;
  std::int64_t audits = 0;               // evaluations at random draws, made to be compared
  double error_found = 0;                // root mean square of exact less predicted, about its mean; nats
  double error_claimed = 0;              // what the surrogate's own deviations said it would be; nats
  std::vector<double> mean_bounds = {};  // of each parameter, in posterior sds; as positions, not theta
  std::vector<double> sd_bounds = {};    // of each parameter's log sd
  std::string reason = {};               // of a refusal
};

// How many evaluations there were when a part of the default method ended; none if it did not.
struct Milestones {
  std::optional<std::int64_t> found = std::nullopt;    // the bulk
  std::optional<std::int64_t> learned = std::nullopt;  // the surrogate, before chains began
};

struct RunResult {
  Draws draws;  // theta; of equal length for all chains, also when the run ended early
  std::vector<ChainResult> chains;
  std::int64_t evaluations;  // points paid for, from the first, those the store answered included
  Ending ending;
  Emulator emulator;                                      // as it was at the end
  std::vector<std::string> remarks = {};                  // what a user should know of how it went
  std::optional<Certificate> certificate = std::nullopt;  // of audited draws
  // Reasons not to trust the draws, or for having made none, that no diagnostic of the draws can see: as bad
  // as a large R-hat.
  std::vector<std::string> doubts = {};
  Milestones milestones = {};     // of auto and transition
  std::vector<Paid> ledger = {};  // every point paid for, in order
};

StageCounts all_counts(const RunResult& result);  // over all chains and both phases

// Asked before each payment, with the thetas to be paid for and what of them; no ends the run between two
// rounds.
using MayPay = std::function<bool(const std::vector<Vector>& thetas, Want want)>;

// A model failed; nothing is made up in its place.
class ModelFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One chain per start (positions). `proposal` is what burn-in starts from; its kind must suit the method.
// The result depends on the arguments alone, never on the evaluator's number of workers.
// A budget, or `interrupted` (asked between rounds), ends it early: run again with the same evaluator's
// store, it goes on where it was, because every evaluation is answered from there. Throws InputError for bad
// settings or a start of zero density, ModelFailure when an evaluation fails.
RunResult run(const Parameters& parameters, Evaluator& evaluator, const std::vector<Vector>& starts,
              const Proposal& proposal, const RunSettings& settings,
              const std::function<void(const Progress&)>& on_round = {}, const MayPay& may_pay = {});

}  // namespace hunch
