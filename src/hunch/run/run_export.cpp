#include "hunch/run/run_export.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "hunch/config/choices.hpp"

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
  out.warmup_iterations = job.settings.warmup;
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
