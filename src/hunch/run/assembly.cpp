#include "hunch/run/assembly.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/convergence.hpp"

namespace hunch {

namespace {

// To its first draws.
void cut(ChainResult& result, Index length) {
  result.positions.conservativeResize(length, Eigen::NoChange);
  result.log_posterior.conservativeResize(length);
  result.stage1_probability.conservativeResize(length);
  result.accepted.resize(static_cast<std::size_t>(length));
  result.evaluated.resize(static_cast<std::size_t>(length));
}

}  // namespace

void record(Chain& chain, const StepInfo& info, Phase phase) {
  ChainResult& made = chain.result;
  StageCounts& counts = phase == Phase::kept ? made.kept : made.warmup;
  const Index draw = counts.iterations++;
  ++(info.evaluated() ? counts.evaluated : counts.screened_out);
  if (info.verdict == Verdict::accepted) ++counts.accepted;
  if (phase == Phase::warmup) {
    made.warmup_positions.push_back(chain.state.position);
    return;
  }
  made.positions.row(draw) = chain.state.position.transpose();
  made.log_posterior[draw] = chain.state.exact.log_likelihood + chain.state.prior.log_density;
  made.accepted[static_cast<std::size_t>(draw)] = info.verdict == Verdict::accepted;
  made.evaluated[static_cast<std::size_t>(draw)] = info.evaluated();
  made.stage1_probability[draw] = std::exp(info.log_alpha_1);
}

Index iterations(const std::vector<Chain>& chains) {
  Index all = 0;
  for (const Chain& chain : chains) all += chain.iterations();
  return all;
}

Index kept_by_all(const std::vector<Chain>& chains) {
  if (chains.empty()) return 0;
  return std::min_element(chains.begin(), chains.end(),
                          [](const Chain& a, const Chain& b) {
                            return a.result.kept.iterations < b.result.kept.iterations;
                          })
      ->result.kept.iterations;
}

Draws draws_of(const Parameters& parameters, const std::vector<Chain>& chains, Index length) {
  std::vector<const Matrix*> positions;
  for (const Chain& chain : chains) positions.push_back(&chain.result.positions);
  return draws_of(parameters, positions, length);
}

std::vector<ChainResult> results_of(std::vector<Chain> chains, Index length) {
  std::vector<ChainResult> results;
  for (Chain& chain : chains) {
    cut(chain.result, length);
    results.push_back(std::move(chain.result));
  }
  return results;
}

Progress progress_of(const Parameters& parameters, const std::vector<Chain>& chains, Phase from,
                     Index iterations_total, std::int64_t evaluations) {
  Progress progress{0, iterations_total, evaluations, {}, kept_by_all(chains), {}, {}};
  for (const Chain& chain : chains) {
    const Index over = from == Phase::kept ? chain.result.kept.iterations : chain.iterations();
    progress.iterations_done += over;
    ChainProgress& one = progress.chains.emplace_back(ChainProgress{over, {}});
    (one.counts += chain.result.warmup) += chain.result.kept;
    one.kept = chain.result.kept;
    progress.counts += one.counts;
  }
  progress.draws = [&parameters, &chains, length = progress.kept] {
    return draws_of(parameters, chains, length);
  };
  return progress;
}

ChainResult empty_result(Index draws, Index dimension, const Proposal& proposal) {
  const auto n = static_cast<std::size_t>(draws);
  return {Matrix(draws, dimension),
          Vector(draws),
          std::vector<bool>(n),
          std::vector<bool>(n),
          Vector(draws),
          {},
          {},
          proposal};
}

Draws draws_of(const Parameters& parameters, const std::vector<const Matrix*>& positions, Index length) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters.list()) names.push_back(parameter.name);
  std::vector<Matrix> thetas;
  for (const Matrix* chain : positions) {
    Matrix theta(length, parameters.dimension());
    for (Index i = 0; i < length; ++i) theta.row(i) = parameters.theta(chain->row(i).transpose()).transpose();
    thetas.push_back(std::move(theta));
  }
  return {std::move(names), std::move(thetas)};
}

bool meets(const Draws& draws, const Goal& goal) {
  for (Index p = 0; p < draws.parameters(); ++p) {
    const Matrix values = draws.parameter(p);
    const double ess = std::fmin(ess_bulk(values).value_or(0), ess_tail(values).value_or(0));
    if (ess < goal.ess || rhat(values).value_or(infinity) > goal.rhat) return false;
  }
  return true;
}

const Lesson* lesson_at(const std::vector<Lesson>& lessons, const Vector& position) {
  for (const Lesson& lesson : lessons)
    if (lesson.position == position) return &lesson;
  return nullptr;
}

}  // namespace hunch
