#include <cmath>
#include <exception>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/model/model.hpp"

namespace hunch {

FunctionModel::FunctionModel(Function function, Capabilities capabilities)
    : function_(std::move(function)), capabilities_(capabilities) {}

namespace {

Outcome checked(Exact exact, Index dimension, Want want) {
  const double value = exact.log_likelihood;
  if (value == -infinity) return {OutcomeKind::zero, {value, std::nullopt}, ""};
  if (!std::isfinite(value)) return {OutcomeKind::nan, {}, "the log-likelihood is not a finite number"};
  if (want == Want::value) return {OutcomeKind::value, std::move(exact), ""};
  if (!exact.gradient || exact.gradient->size() != dimension)
    return {OutcomeKind::protocol, {}, "the gradient is missing or has the wrong length"};
  if (!exact.gradient->allFinite()) return {OutcomeKind::nan, {}, "the gradient is not finite"};
  return {OutcomeKind::value, std::move(exact), ""};
}

}  // namespace

Outcome FunctionModel::evaluate(const Vector& theta, Want want) {
  try {
    return checked(function_(theta, want), theta.size(), want);
  } catch (const std::exception& error) {
    return {OutcomeKind::crash, {}, error.what()};
  }
}

}  // namespace hunch
