#include "hunch/run/assembly.hpp"

#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/convergence.hpp"

namespace hunch {

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

void cut(ChainResult& result, Index length) {
  result.positions.conservativeResize(length, Eigen::NoChange);
  result.log_posterior.conservativeResize(length);
  result.stage1_probability.conservativeResize(length);
  result.accepted.resize(static_cast<std::size_t>(length));
  result.evaluated.resize(static_cast<std::size_t>(length));
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
