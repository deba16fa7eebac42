#include <exception>
#include <utility>

#include "hunch/model/answer.hpp"
#include "hunch/model/model.hpp"

namespace hunch {

std::vector<Outcome> Model::evaluate_all(const std::vector<Vector>& thetas, Want want) {
  std::vector<Outcome> outcomes;
  for (const Vector& theta : thetas) outcomes.push_back(evaluate(theta, want));
  return outcomes;
}

FunctionModel::FunctionModel(Function function, Capabilities capabilities)
    : function_(std::move(function)), capabilities_(capabilities) {}

Outcome FunctionModel::evaluate(const Vector& theta, Want want) {
  try {
    return judge(function_(theta, want), theta.size(), want);
  } catch (const std::exception& error) {
    return {OutcomeKind::crash, {}, error.what()};
  }
}

}  // namespace hunch
