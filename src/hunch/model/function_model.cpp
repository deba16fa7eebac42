#include <exception>
#include <utility>

#include "hunch/model/answer.hpp"
#include "hunch/model/model.hpp"

namespace hunch {

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
