// Export: all that a result file of another tool's format can hold: draws, and what is known of their making.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hunch/draws/draws.hpp"

namespace hunch {

// What one chain did, one value per kept draw. All but log_posterior may be left empty: not recorded.
// A chain's id is its place in Export::chains, counted from 1.
struct ChainRecord {
  Vector log_posterior;  // of the position, up to a constant: what the chain itself compared
  std::vector<bool> accepted = {};
  std::vector<bool> evaluated = {};  // the step paid for an evaluation
  Vector stage1_probability = {};    // of passing the screen, in [0, 1]
  Matrix proposal_covariance = {};   // of the step between positions; parameters x parameters
};

// What was paid for, in the order it was paid.
struct EvaluationTable {
  Matrix theta;                      // evaluations x parameters
  Vector log_likelihood;             // minus infinity: zero likelihood; NaN: the model failed
  std::vector<std::string> outcome;  // in words
};

struct Limits {
  std::optional<double> lower;
  std::optional<double> upper;
};

struct Export {
  Draws draws;  // theta
  std::vector<ChainRecord> chains;
  std::optional<Draws> warmup = std::nullopt;  // theta of burn-in, same parameters and chains
  std::vector<Limits> limits = {};             // of each parameter; empty: none is known
  std::optional<EvaluationTable> evaluations = std::nullopt;
  std::uint64_t seed = 0;
  Index warmup_iterations = 0;  // of each chain
  std::string method = {};      // "gp-mh"
  std::string version = {};     // of Hunch
  std::string created_at = {};  // ISO 8601, as the caller's clock says
  double seconds = 0;           // of the whole run
  double warmup_seconds = 0;    // of these, in burn-in
};

// Parts that do not fit together are a mistake inside the program: std::logic_error.
// No chain or no parameter is nothing to export: InputError.
void validate(const Export& result);

// For formats that are rectangular: the length all chains share. InputError, with a way out, if they do not.
Index common_length(const Draws& draws, const std::string& format);

}  // namespace hunch
