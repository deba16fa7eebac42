// A small result with everything in it that an export can hold: draws that repeat, hostile names, odd
// outcomes.
#pragma once

#include <cmath>
#include <limits>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/draws/export.hpp"

namespace hunch {

inline const std::vector<std::string> hostile_names = {"beta", "theta[1]", "theta[2]", "a,b", "x\"y", "µ",
                                                       "<b>",  "chain",    "lp__",     "if",  "a b"};

struct SampledChain {
  Matrix draws;
  ChainRecord record;
};

// An autoregressive walk that stays where it is in about half of its steps, over very different magnitudes.
inline SampledChain sampled_chain(std::uint32_t chain, Index length, Index parameters) {
  Rng rng({20240501, chain, 0, Purpose::test});
  SampledChain out{Matrix(length, parameters), {Vector(length)}};
  out.record.stage1_probability = Vector(length);
  Vector state = rng.normal(parameters);
  for (Index i = 0; i < length; ++i) {
    const bool evaluated = rng.uniform() < 0.7, accepted = evaluated && rng.uniform() < 0.7;
    if (accepted) state = 0.5 * state + rng.normal(parameters);
    for (Index p = 0; p < parameters; ++p)
      out.draws(i, p) = state(p) * std::pow(10.0, 6.0 * static_cast<double>(p % 3) - 6.0);
    out.record.log_posterior(i) = -0.5 * state.squaredNorm();
    out.record.accepted.push_back(accepted);
    out.record.evaluated.push_back(evaluated);
    out.record.stage1_probability(i) = rng.uniform();
  }
  out.record.proposal_covariance = Matrix::Identity(parameters, parameters) / 3;
  return out;
}

inline Export sample_export(Index chains = 4, Index length = 250,
                            const std::vector<std::string>& names = hostile_names) {
  const auto parameters = static_cast<Index>(names.size());
  std::vector<Matrix> draws, warmup;
  std::vector<ChainRecord> records;
  for (Index c = 0; c < chains; ++c) {
    SampledChain kept = sampled_chain(static_cast<std::uint32_t>(c), length, parameters);
    draws.push_back(kept.draws);
    records.push_back(kept.record);
    warmup.push_back(sampled_chain(static_cast<std::uint32_t>(100 + c), 30, parameters).draws);
  }
  Export result{Draws(names, draws), records};
  result.warmup = Draws(names, warmup);
  result.limits.assign(names.size(), Limits{});
  result.limits.front() = {0.0, std::nullopt};
  EvaluationTable table{sampled_chain(200, 3, parameters).draws, Vector(3), {}};
  table.log_likelihood << -1.5, -infinity, std::numeric_limits<double>::quiet_NaN();
  table.outcome = {"value", "zero", "failure: no \"answer\", only \xff bytes µ"};
  result.evaluations = table;
  result.seed = 18446744073709551615u;
  result.warmup_iterations = 30;
  result.method = "gp-mh";
  result.version = "0.1.0";
  result.created_at = "2024-05-01T12:00:00Z";
  result.seconds = 12.5;
  result.warmup_seconds = 2.25;
  return result;
}

}  // namespace hunch
