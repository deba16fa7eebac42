#include "python_function.hpp"

#include <limits>
#include <string>
#include <utility>

#include "hunch/evaluation/evaluator.hpp"
#include "hunch/model/answer.hpp"

namespace py = pybind11;

namespace hunch::python {

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

// An answer of the wrong shape or type: says what was returned.
struct Malformed {
  std::string message;
};

std::string described(const py::handle& answer) {
  if (py::isinstance<py::array>(answer)) {
    const auto array = py::reinterpret_borrow<py::array>(answer);
    return "an array of shape " + py::str(array.attr("shape")).cast<std::string>();
  }
  if (answer.is_none()) return "None";
  if (py::isinstance<py::tuple>(answer)) return "a tuple of " + std::to_string(py::len(answer));
  return "a value of type " + py::type::handle_of(answer).attr("__name__").cast<std::string>();
}

[[noreturn]] void malformed(const py::handle& answer, const std::string& expected) {
  throw Malformed{"the function returned " + described(answer) + ", expected " + expected};
}

double number_of(const py::handle& answer, const std::string& expected) {
  const double value = PyFloat_AsDouble(answer.ptr());
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    malformed(answer, expected);
  }
  return value;
}

// So many numbers, in whatever shape; nothing else is converted.
Numbers numbers_of(const py::handle& answer, py::ssize_t count, const std::string& expected) {
  const Numbers numbers = Numbers::ensure(answer);
  if (!numbers) {
    PyErr_Clear();
    malformed(answer, expected);
  }
  if (numbers.size() != count) malformed(numbers, expected);
  return numbers;
}

std::pair<py::object, py::object> pair_of(const py::object& answer, const std::string& expected) {
  if (!py::isinstance<py::sequence>(answer) || py::len(answer) != 2) malformed(answer, expected);
  return {answer[py::int_(0)], answer[py::int_(1)]};
}

py::array_t<double> array_of(const Vector& theta) {
  py::array_t<double> array(theta.size());
  std::copy_n(theta.data(), theta.size(), array.mutable_data());
  return array;
}

py::array_t<double> array_of(const std::vector<Vector>& thetas) {
  const py::ssize_t dimension = thetas.front().size();
  py::array_t<double> array({static_cast<py::ssize_t>(thetas.size()), dimension});
  double* row = array.mutable_data();
  for (const Vector& theta : thetas) row = std::copy_n(theta.data(), dimension, row);
  return array;
}

Vector vector_of(const double* values, Index count) {
  return Eigen::Map<const Vector>(values, count);
}

bool uses_both(const Callables& callables, Want want) {
  return callables.both && (want == Want::value_and_gradient || !callables.value);
}

Exact exact_of(const Callables& callables, const Vector& theta, Want want) {
  if (!uses_both(callables, want))
    return {number_of((*callables.value)(array_of(theta)), "a number: the log-likelihood"), std::nullopt};
  const std::string expected = "(log-likelihood, gradient), a number and " + std::to_string(theta.size()) +
                               (theta.size() == 1 ? " derivative" : " derivatives");
  const auto [value, gradient] = pair_of((*callables.both)(array_of(theta)), expected);
  const Numbers slopes = numbers_of(gradient, theta.size(), expected);
  return {number_of(value, expected), vector_of(slopes.data(), theta.size())};
}

std::vector<Exact> exacts_of(const Callables& callables, const std::vector<Vector>& thetas, Want want) {
  const auto count = static_cast<py::ssize_t>(thetas.size());
  const Index dimension = thetas.front().size();
  const bool both = uses_both(callables, want);
  const std::string points = std::to_string(count) + (count == 1 ? " log-likelihood" : " log-likelihoods");
  const std::string expected = both ? "(log-likelihoods, gradients), " + std::to_string(count) +
                                          " numbers and as many rows of " + std::to_string(dimension)
                                    : points + ", one for each row of theta";
  const py::object answer = both ? (*callables.both)(array_of(thetas)) : (*callables.value)(array_of(thetas));
  const auto parts = both ? pair_of(answer, expected) : std::pair(answer, py::object());
  const Numbers values = numbers_of(parts.first, count, expected);
  std::vector<Exact> exacts;
  for (py::ssize_t i = 0; i < count; ++i) exacts.push_back({values.data()[i], std::nullopt});
  if (!both) return exacts;
  const Numbers slopes = numbers_of(parts.second, count * dimension, expected);
  for (py::ssize_t i = 0; i < count; ++i)
    exacts[static_cast<std::size_t>(i)].gradient = vector_of(slopes.data() + i * dimension, dimension);
  return exacts;
}

// A failure of the user's function, or a reason to end the run.
Outcome crash_of(const Callables& callables, py::error_already_set& error) {
  if (error.matches(PyExc_KeyboardInterrupt)) throw EvaluationsAbandoned(1);
  if (!error.matches(PyExc_Exception)) throw;
  if (error.trace()) PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
  return {OutcomeKind::crash, {}, callables.describe(error.value()).cast<std::string>()};
}

}  // namespace

Outcome ask(const Callables& callables, const Vector& theta, Want want) {
  try {
    return judge(exact_of(callables, theta, want), theta.size(), want);
  } catch (const Malformed& answer) {
    return {OutcomeKind::protocol, {}, answer.message};
  } catch (py::error_already_set& error) {
    return crash_of(callables, error);
  }
}

PythonFunction::PythonFunction(const Callables& callables, Shape shape)
    : callables_(callables), shape_(shape) {}

Outcome PythonFunction::evaluate(const Vector& theta, Want want) {
  if (shape_ == Shape::many_points) return evaluate_all({theta}, want).front();
  const py::gil_scoped_acquire gil;
  return ask(callables_, theta, want);
}

std::vector<Outcome> PythonFunction::evaluate_all(const std::vector<Vector>& thetas, Want want) {
  if (shape_ == Shape::one_point) return Model::evaluate_all(thetas, want);
  const py::gil_scoped_acquire gil;
  std::vector<Outcome> outcomes;
  try {
    for (Exact& exact : exacts_of(callables_, thetas, want))
      outcomes.push_back(judge(std::move(exact), thetas.front().size(), want));
    return outcomes;
  } catch (const Malformed& answer) {
    return std::vector<Outcome>(thetas.size(), Outcome{OutcomeKind::protocol, {}, answer.message});
  } catch (py::error_already_set& error) {
    const Outcome crash = crash_of(callables_, error);
    if (thetas.size() == 1) return {crash};
  }
  for (const Vector& theta : thetas) outcomes.push_back(evaluate(theta, want));
  return outcomes;
}

}  // namespace hunch::python
