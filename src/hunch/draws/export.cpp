#include "hunch/draws/export.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace hunch {

namespace {

void require(bool condition, const char* rule) {
  if (!condition) throw std::logic_error(rule);
}

template <typename Values>
bool absent_or(const Values& values, Index size) {
  return values.size() == 0 || static_cast<Index>(values.size()) == size;
}

void validate(const ChainRecord& chain, Index draws, Index parameters) {
  require(chain.log_posterior.size() == draws, "Export: one log posterior per draw");
  require(absent_or(chain.accepted, draws), "Export: one accepted flag per draw, or none");
  require(absent_or(chain.evaluated, draws), "Export: one evaluated flag per draw, or none");
  require(absent_or(chain.stage1_probability, draws), "Export: one stage-1 probability per draw, or none");
  const Matrix& covariance = chain.proposal_covariance;
  require(covariance.size() == 0 || (covariance.rows() == parameters && covariance.cols() == parameters),
          "Export: the proposal's covariance is parameters x parameters, or empty");
}

// A column is in every chain's file or in none.
void validate_columns(const std::vector<ChainRecord>& chains, const Draws& draws) {
  const ChainRecord& first = chains.front();
  const bool first_empty = draws.length(0) == 0;
  for (std::size_t c = 1; c < chains.size(); ++c) {
    if (first_empty || draws.length(static_cast<Index>(c)) == 0) continue;
    require(chains[c].accepted.empty() == first.accepted.empty(), "Export: accepted in all chains or none");
    require(chains[c].evaluated.empty() == first.evaluated.empty(),
            "Export: evaluated in all chains or none");
    require((chains[c].stage1_probability.size() == 0) == (first.stage1_probability.size() == 0),
            "Export: stage-1 probabilities in all chains or none");
  }
}

}  // namespace

void validate(const Export& result) {
  const Draws& draws = result.draws;
  if (draws.chains() == 0 || draws.parameters() == 0)
    throw InputError("nothing to export: there are no chains or no parameters");
  require(static_cast<Index>(result.chains.size()) == draws.chains(), "Export: one record per chain");
  for (Index c = 0; c < draws.chains(); ++c)
    validate(result.chains[static_cast<std::size_t>(c)], draws.length(c), draws.parameters());
  validate_columns(result.chains, draws);
  require(absent_or(result.limits, draws.parameters()), "Export: limits for each parameter, or none");
  if (result.warmup)
    require(result.warmup->names() == draws.names() && result.warmup->chains() == draws.chains(),
            "Export: burn-in has the parameters and the chains of the draws");
  if (const auto& table = result.evaluations) {
    require(table->theta.cols() == draws.parameters(), "Export: an evaluation has one value per parameter");
    require(table->log_likelihood.size() == table->theta.rows(), "Export: one log-likelihood per evaluation");
    require(static_cast<Index>(table->outcome.size()) == table->theta.rows(),
            "Export: one outcome per evaluation");
  }
}

Index common_length(const Draws& draws, const std::string& format) {
  const Index length = draws.length(0);
  for (Index c = 1; c < draws.chains(); ++c)
    if (draws.length(c) != length)
      throw InputError(
          fmt::format("{} needs chains of equal length: chain 1 has {} draws, chain {} has {}; "
                      "csv and getdist take any",
                      format, length, c + 1, draws.length(c)));
  return length;
}

}  // namespace hunch
