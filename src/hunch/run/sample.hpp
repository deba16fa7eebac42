// Sample: the front door for programs: a log-likelihood function, its parameters and some options in, draws
// out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hunch/config/config.hpp"
#include "hunch/diagnostics/summary.hpp"
#include "hunch/draws/export.hpp"
#include "hunch/evaluation/store.hpp"
#include "hunch/run/run.hpp"
#include "hunch/run/watch.hpp"

namespace hunch {

// The log-likelihood at theta, which has the parameters in their order: finite, or minus infinity where the
// likelihood is zero. Pure, and with several workers safe to call from several threads. What it throws, and
// NaN, are failures of the model.
using LogLikelihood = std::function<double(const Vector& theta)>;
// The same with its gradient with respect to theta, to be filled in when it is wanted.
using LogLikelihoodWithGradient = std::function<Exact(const Vector& theta, Want want)>;

struct SampleParameter {
  std::string name;                            // not empty, unique, without control characters
  std::variant<std::string, Prior> prior;      // text as in a config, or Prior{Normal{0, 1}}
  std::optional<double> start = std::nullopt;  // theta, inside the prior's support; needed if that is flat
};

// What becomes of a run that the directory holds already.
enum class ExistingRun {
  go_on,   // it is gone on with; settings that would change its draws are refused
  extend,  // the same, but more draws are no reason to refuse: the shorter run is moved aside, to its name
           // with .old-1, and what it paid for is taken over
  refuse,
};

// Choices are written as in a config file, and mean what they mean there.
struct SampleOptions {
  std::string method = "auto";        // sampler.method of a config; some need a gradient
  std::string screen = "early";       // stage 1 of kept draws: early, paper or ratio
  std::string learning = "continue";  // while draws are kept: continue or freeze
  std::string covariance = "se";      // of the Gaussian process: se or matern52
  std::int64_t chains = 4;            // which share one surrogate, 1 to 1000
  std::int64_t warmup = 500;          // iterations of each chain that are not kept, 0 to 1e9
  std::int64_t draws = 1000;          // iterations of each chain that are kept, 1 to 1e9
  std::uint64_t seed = 1;             // 0 to 2^63 - 1
  std::string exactness = "exact";    // of draws: exact or audited
  double tolerance = 0.05;            // of audited draws: means in sds, and log sds; (0, 1)
  int workers = 1;                    // calls of the function at a time, 1 or more; no draw depends on it
  Budget budget = {};                 // evaluations, seconds or a goal that end the run early; default none
  std::string on_failure = "stop";    // throws ModelFailure; or reject: counts as zero likelihood
  std::int64_t attempts = 1;          // at one point where the function throws, 1 to 100
  std::optional<std::string> name =
      std::nullopt;  // of the function; needed by store and directory: whose evaluations
  std::optional<std::string> version =
      std::nullopt;  // of the function: change it whenever the function or its data change
  // Where evaluations are kept, so that none is paid for twice and the same call again goes on where it was:
  // one of these two, or none.
  std::optional<std::filesystem::path> store =
      std::nullopt;  // an SQLite file; serves any priors and settings
  std::optional<std::filesystem::path> directory =
      std::nullopt;  // of one run, which `hunch status, summary, export` read
  ExistingRun existing = ExistingRun::go_on;
  Durability durability = Durability::full;               // of these: full (some 20 ms a round) or relaxed
  std::function<void(const Progress&)> on_progress = {};  // told after each round
  std::function<bool()> interrupted = {};                 // asked between rounds; true ends the run
  ExploreOptions explore = {};  // numbers of the default method, for studies; none with a store or directory
  // Asked by another thread while the function is being called, and told how many calls there are.
  std::function<Stopping(int under_way)> stopping = {};
};

struct SampleResult {
  Draws draws;                            // theta; of equal length for all chains
  std::vector<ParameterSummary> summary;  // one for each parameter; empty if no draw was kept
  std::int64_t evaluations;               // points that the run needed, those the store knew included
  std::int64_t calls;                     // of the function, by this call
  StageCounts counts;                     // over all chains and both phases
  Ending ending;
  std::vector<std::string> remarks;        // what a user should know of how it went
  std::optional<Certificate> certificate;  // of audited draws
  Milestones milestones;                   // of auto and transition
  std::vector<std::string> doubts;         // reasons not to trust the draws that their diagnostics cannot see
  Export exported;                         // for write_netcdf, write_cmdstan, write_getdist and write_csv
};

// The same draws as `hunch run` makes with the same likelihood, settings and seed.
// Throws InputError (options, parameters, a start of zero density), ModelFailure (the function, with `stop`),
// StoreRefused (the store is another function's, in use, or damaged) and StoreFailure (the disk). Stopped in
// the middle of a round it gives what the directory holds, or throws EvaluationsAbandoned if there is none.
SampleResult sample(const LogLikelihood& log_likelihood, const std::vector<SampleParameter>& parameters,
                    const SampleOptions& options = {});
SampleResult sample(const LogLikelihoodWithGradient& log_likelihood,
                    const std::vector<SampleParameter>& parameters, const SampleOptions& options = {});
// A door of the caller's own making.
SampleResult sample(Model& model, const std::vector<SampleParameter>& parameters,
                    const SampleOptions& options = {});
// A door as in a config; relative paths are seen from the working directory. What the options say of the
// function, `name`, `version`, `attempts` and `on_failure`, is not used. Throws ModelUnavailable too.
SampleResult sample(const ModelConfig& model, const std::vector<SampleParameter>& parameters,
                    const SampleOptions& options = {});
// That door alone, for callers who stand between it and the sampler; at most `workers` evaluations at a time.
std::unique_ptr<Model> open_door(const ModelConfig& model, const std::vector<SampleParameter>& parameters,
                                 int workers);

}  // namespace hunch
