#include "hunch/run/run_export.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "hunch/config/choices.hpp"
#include "hunch/run/assembly.hpp"

namespace hunch {

namespace {

EvaluationTable evaluations_of(const Store& store, Index dimension) {
  const Index n = store.size();
  EvaluationTable table{Matrix(n, dimension), Vector(n), {}};
  for (Index i = 0; i < n; ++i) {
    const Record& record = store.all()[i];
    table.theta.row(i) = record.theta.transpose();
    table.log_likelihood[i] = record.outcome.answered() ? record.outcome.exact.log_likelihood
                                                        : std::numeric_limits<double>::quiet_NaN();
    table.outcome.emplace_back(name_of(record.outcome.kind));
  }
  return table;
}

ChainRecord record_of(const ChainResult& chain) {
  const auto* walk = std::get_if<RandomWalk>(&chain.proposal);
  const auto* langevin = std::get_if<Langevin>(&chain.proposal);
  const Vector variance = walk ? walk->scales.cwiseAbs2() : Vector(langevin->delta * langevin->lambda);
  return {chain.log_posterior, chain.accepted, chain.evaluated, chain.stage1_probability,
          variance.asDiagonal()};
}

// As long as that of the chain with the least; nothing where no chain had any.
std::optional<Draws> warmup_of(const Parameters& parameters, const std::vector<ChainResult>& chains) {
  std::size_t length = chains.empty() ? 0 : chains[0].warmup_positions.size();
  for (const ChainResult& chain : chains) length = std::min(length, chain.warmup_positions.size());
  if (length == 0) return std::nullopt;
  std::vector<Matrix> positions(chains.size());
  std::vector<const Matrix*> pointers;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    positions[c].resize(static_cast<Index>(length), parameters.dimension());
    for (std::size_t i = 0; i < length; ++i)
      positions[c].row(static_cast<Index>(i)) = chains[c].warmup_positions[i].transpose();
    pointers.push_back(&positions[c]);
  }
  return draws_of(parameters, pointers, static_cast<Index>(length));
}

}  // namespace

Export to_export(const Job& job, const RunResult& result, double seconds) {
  Export out{.draws = result.draws, .chains = {}};
  for (const ChainResult& chain : result.chains) out.chains.push_back(record_of(chain));
  for (const Parameter& parameter : job.parameters.list()) {
    const Support range = support(parameter.prior);
    const auto finite = [](double bound) {
      return std::isfinite(bound) ? std::optional(bound) : std::nullopt;
    };
    out.limits.push_back({finite(range.lower), finite(range.upper)});
  }
  out.seed = job.settings.seed;
  out.warmup = warmup_of(job.parameters, result.chains);
  out.warmup_iterations = out.warmup ? out.warmup->length(0) : 0;
  out.method = name_of(job.config.sampler.method);
  out.version = HUNCH_VERSION;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  out.created_at =
      fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
  out.seconds = seconds;
  return out;
}

Export to_export(const Job& job, const RunResult& result, const Store& store, double seconds) {
  Export out = to_export(job, result, seconds);
  out.evaluations = evaluations_of(store, job.parameters.dimension());
  return out;
}

}  // namespace hunch
