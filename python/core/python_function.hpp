// PythonFunction: the model that is a Python function of this process.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <optional>

#include "hunch/model/model.hpp"

namespace hunch::python {

// The function in the forms it can be asked in; at least one of value and both is there.
struct Callables {
  std::optional<pybind11::object> value;  // theta -> log-likelihood
  std::optional<pybind11::object> both;   // theta -> (log-likelihood, gradient)
  pybind11::object describe;              // exception -> text of a failure
};

enum class Shape { one_point, many_points };  // theta of a call: one row, or one row for each point

// What became of one call; `Exception`s are crashes. With the GIL held. KeyboardInterrupt is
// EvaluationsAbandoned; whatever else is no `Exception` goes on as it is.
Outcome ask(const Callables& callables, const Vector& theta, Want want);

class PythonFunction final : public Model {
 public:
  // The callables must outlive it: it may end without the GIL.
  PythonFunction(const Callables& callables, Shape shape);

  Capabilities capabilities() const override { return {callables_.both.has_value()}; }
  Asked asked() const override { return shape_ == Shape::one_point ? Asked::here : Asked::together; }
  Outcome evaluate(const Vector& theta, Want want) override;
  // A call that fails is repeated point by point: one bad point does not spoil the others.
  std::vector<Outcome> evaluate_all(const std::vector<Vector>& thetas, Want want) override;

 private:
  const Callables& callables_;
  Shape shape_;
};

}  // namespace hunch::python
