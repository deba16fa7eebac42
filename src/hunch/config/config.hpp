// Config: what a user asks for, as plain values: the model, its parameters, the sampler and the budget.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

// `command`: a program of the user's, never run through a shell.
struct ProgramConfig {
  enum class Style {
    worker,  // started once, then one line in and one line out for each evaluation
    once,    // started for each evaluation, in a work directory of its own
  };
  std::vector<std::string> command;  // the program and its arguments; at least the program
  Style style = Style::worker;
  // For `once` alone. Key `template`: a file with {{name}} where the value of that parameter goes.
  std::optional<std::string> template_file = std::nullopt;
  // Its name in the work directory, once filled in; default: that of the template. Set whenever that is.
  std::optional<std::string> input_file = std::nullopt;
  // The file of the work directory that holds the answer; default: standard output.
  std::optional<std::string> result_file = std::nullopt;
  bool operator==(const ProgramConfig&) const = default;
};

// `url`: one or several UM-Bridge servers of the same model.
struct ServerConfig {
  enum class Gives { log_likelihood, log_posterior, forward };
  std::vector<std::string> urls;        // http://host[:port][/path], at least one
  std::string name = "posterior";       // of the model on the server; for forward the default is "forward"
  Gives gives = Gives::log_likelihood;  // log_posterior needs flat or uniform priors here
  std::int64_t output_index = 0;  // which number of the output is the log density, 0 to 1e6; not for forward
  std::vector<double> data = {};  // observations that `forward` is compared with; empty for the others
  std::vector<double> noise_sd = {};  // sd of the Gaussian noise, > 0: one for all, or one for each of data
  std::string config = "{}";          // passed to the server as it is: one JSON object, in one line
  bool operator==(const ServerConfig&) const = default;
};

// `library`: a shared library with the C interface.
struct LibraryConfig {
  std::string path;
  bool operator==(const LibraryConfig&) const = default;
};

// `problem`: one that Hunch brings along, with its parameters.
struct ProblemConfig {
  std::string name;
  bool operator==(const ProblemConfig&) const = default;
};

// `function`: one of the program that uses Hunch as a library; only that program can evaluate it.
struct FunctionConfig {
  std::string name;
  std::string version = {};  // another version is another likelihood
  bool operator==(const FunctionConfig&) const = default;
};

using DoorConfig = std::variant<ProgramConfig, ServerConfig, LibraryConfig, ProblemConfig, FunctionConfig>;

struct ModelConfig {
  enum class OnFailure {
    stop,    // a point that fails for good ends the run, which can be resumed
    reject,  // it counts as zero likelihood
  };
  DoorConfig door;
  bool gradient = false;         // the model gives gradients too; true for a `problem` unless said
  double timeout_seconds = 600;  // of one evaluation, > 0 and at most 3650 days
  std::int64_t attempts = 3;     // at one point before it has failed for good, 1 to 100
  OnFailure on_failure = OnFailure::stop;
  std::vector<std::string> data_files = {};  // files whose content belongs to the identity of the likelihood
  bool operator==(const ModelConfig&) const = default;
};

struct ParameterConfig {
  std::string name;        // not empty, unique, without control characters
  std::string prior_text;  // as the user wrote it
  Prior prior;
  std::optional<double> start = std::nullopt;  // theta, strictly inside the prior's support
  bool operator==(const ParameterConfig&) const = default;
};

struct SamplerConfig {
  enum class Method { mh, gp_mh, mala, gp_mala, transition, automatic };
  enum class Screen { early, paper, ratio };
  enum class Learning {
    proceed,  // `continue`: also while draws are kept
    freeze,   // nothing changes after warmup
    epochs,   // in ever longer stretches; `transition` and `auto` do so for `continue` too
  };
  enum class Exactness { exact, audited };
  enum class Covariance { se, matern52 };
  Method method = Method::automatic;  // mala and gp_mala need model.gradient
  Screen screen = Screen::early;
  Learning learning = Learning::proceed;
  std::int64_t chains = 4;    // 1 to 1000
  std::int64_t warmup = 500;  // iterations of each chain that are not kept, 0 to 1e9
  std::int64_t draws = 1000;  // iterations of each chain that are kept, 1 to 1e9
  std::uint64_t seed = 1;     // 0 to 2^63 - 1
  Covariance covariance = Covariance::se;
  Exactness exactness = Exactness::exact;  // audited goes with transition and auto
  double tolerance = 0.05;                 // of audited draws: means in sds, and log sds; (0, 1)
  bool operator==(const SamplerConfig&) const = default;
};

struct BudgetConfig {
  struct Goal {
    double ess = 400;    // smallest effective sample size to reach, > 0
    double rhat = 1.01;  // largest R-hat to accept, > 1
    bool operator==(const Goal&) const = default;
  };
  std::optional<std::int64_t> evaluations = std::nullopt;  // at most so many are paid for, >= 1
  std::optional<double> time_seconds = std::nullopt;       // key `time`; > 0 and at most 3650 days
  std::optional<Goal> goal = std::nullopt;                 // stop as soon as both are reached
  bool operator==(const BudgetConfig&) const = default;
};

struct Config {
  ModelConfig model;
  std::vector<ParameterConfig> parameters;  // in the order of the file; empty only for a `problem`: its own
  SamplerConfig sampler = {};
  BudgetConfig budget = {};
  bool operator==(const Config&) const = default;
};

// Throws InputError in one line: "run.toml:7: sampler.warmup: got -5, expected 0 or more". An empty file_name
// says that no user wrote the text: what is refused has no place in it then, only its key.
Config parse_config(std::string_view text, const std::string& file_name);

// The same with its library, template and data files seen from base, the directory of the config file, as an
// absolute path. parse_config leaves them as written: a run that moves keeps its identity. Words of a command
// are left alone: which of them are paths is known only where it is started.
Config resolve(Config config, const std::filesystem::path& base);

}  // namespace hunch
