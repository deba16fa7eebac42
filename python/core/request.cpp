#include "request.hpp"

#include <pybind11/stl.h>

#include <array>
#include <limits>

#include "hunch/config/duration.hpp"
#include "hunch/target/family.hpp"

namespace py = pybind11;

namespace hunch::python {

namespace {

std::string shown(const py::handle& value) {
  return py::repr(value).cast<std::string>();
}

[[noreturn]] void refuse(const std::string& option, const py::handle& given, const std::string& expected) {
  throw InputError(option + ": got " + shown(given) + ", expected " + expected);
}

// None and what is left out change nothing.
std::optional<py::object> given_in(const py::dict& options, const char* name) {
  if (!options.contains(name)) return std::nullopt;
  const py::object value = options[name];
  if (value.is_none()) return std::nullopt;
  return value;
}

std::int64_t whole(const char* name, const py::object& value) {
  const bool number = PyIndex_Check(value.ptr()) != 0 && !py::isinstance<py::bool_>(value);
  if (!number) refuse(name, value, "a whole number");
  const std::int64_t result =
      PyLong_AsLongLong(py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr())).ptr());
  if (result == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    refuse(name, value, "a number that is less than 2^63");
  }
  return result;
}

double real(const char* name, const py::handle& value) {
  const double result = py::isinstance<py::str>(value) ? -1 : PyFloat_AsDouble(value.ptr());
  const bool failed = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (failed || py::isinstance<py::str>(value)) refuse(name, value, "a number");
  return result;
}

std::string text(const char* name, const py::object& value) {
  if (!py::isinstance<py::str>(value)) refuse(name, value, "a text");
  return value.cast<std::string>();
}

double seconds_of(const char* name, const py::object& value) {
  const std::string expected = "seconds or a time such as \"90s\", \"10m\", \"1h30m\"";
  if (!py::isinstance<py::str>(value)) {
    const double seconds = real(name, value);
    if (!(seconds > 0) || seconds > longest_duration_seconds) refuse(name, value, expected);
    return seconds;
  }
  const auto seconds = duration_from(value.cast<std::string>());
  if (!seconds) refuse(name, value, expected);
  return *seconds;
}

Goal goal_of(const py::object& value) {
  Goal goal;
  if (!py::isinstance<py::dict>(value)) {
    goal.ess = real("goal", value);
    return goal;
  }
  for (const auto& [key, entry] : value.cast<py::dict>()) {
    const auto name = py::str(key).cast<std::string>();
    if (name == "ess")
      goal.ess = real("goal.ess", entry);
    else if (name == "rhat")
      goal.rhat = real("goal.rhat", entry);
    else
      refuse("goal", key, "ess and rhat alone");
  }
  return goal;
}

template <class F>
Family family_of(const std::string& name, const std::vector<double>& arguments) {
  using Written = Signature<F>;
  if (arguments.size() != Written::arguments.size())
    throw InputError(name + ": got " + std::to_string(arguments.size()) + " arguments, expected " +
                     std::to_string(Written::arguments.size()));
  F family{};
  if constexpr (!Written::arguments.empty())
    for (std::size_t i = 0; i < arguments.size(); ++i) family.*(Written::arguments[i].value) = arguments[i];
  return family;
}

template <class... Families>
Family family_named(const std::string& name, const std::vector<double>& arguments,
                    const std::variant<Families...>*) {
  std::optional<Family> found;
  ((Signature<Families>::name == name ? void(found = family_of<Families>(name, arguments)) : void()), ...);
  if (!found) throw InputError("prior: got " + name + ", which is no family");
  return *found;
}

void read_counts(const py::dict& given, SampleOptions& options) {
  const auto count = [&](const char* name, std::int64_t& field) {
    if (const auto value = given_in(given, name)) field = whole(name, *value);
  };
  count("chains", options.chains);
  count("warmup", options.warmup);
  count("draws", options.draws);
  count("attempts", options.attempts);
  std::int64_t workers = options.workers, seed = 1;
  count("workers", workers);
  if (workers < 1 || workers > 100'000) refuse("workers", py::int_(workers), "1 or more");
  options.workers = static_cast<int>(workers);
  count("seed", seed);
  if (seed < 0) refuse("seed", py::int_(seed), "0 or more");
  options.seed = static_cast<std::uint64_t>(seed);
}

void read_texts(const py::dict& given, SampleOptions& options) {
  const auto read = [&](const char* name, auto& field) {
    if (const auto value = given_in(given, name)) field = text(name, *value);
  };
  read("method", options.method);
  read("screen", options.screen);
  read("learning", options.learning);
  read("covariance", options.covariance);
  read("exactness", options.exactness);
  read("on_failure", options.on_failure);
  read("name", options.name);
  read("version", options.version);
  if (const auto value = given_in(given, "durability")) {
    const std::string word = text("durability", *value);
    if (word != "full" && word != "relaxed") refuse("durability", *value, "one of full, relaxed");
    options.durability = word == "full" ? Durability::full : Durability::relaxed;
  }
  if (const auto value = given_in(given, "directory")) options.directory = value->cast<std::string>();
}

void read_budget(const py::dict& given, SampleOptions& options) {
  if (const auto value = given_in(given, "tolerance")) options.tolerance = real("tolerance", *value);
  if (const auto value = given_in(given, "max_evaluations")) {
    options.budget.evaluations = whole("max_evaluations", *value);
    if (*options.budget.evaluations < 1) refuse("max_evaluations", *value, "1 or more");
  }
  if (const auto value = given_in(given, "max_time")) options.budget.seconds = seconds_of("max_time", *value);
  if (const auto value = given_in(given, "goal")) options.budget.goal = goal_of(*value);
}

}  // namespace

Prior prior_of(const std::string& family, const std::vector<double>& arguments, std::optional<double> lower,
               std::optional<double> upper) {
  // Read back as a config's text would be: the same words for the same mistakes.
  return parse_prior(
      to_text({family_named(family, arguments, static_cast<const Family*>(nullptr)), lower, upper}));
}

std::vector<SampleParameter> parameters_of(const py::list& given) {
  std::vector<SampleParameter> parameters;
  for (const py::handle& entry : given) {
    const auto row = entry.cast<py::tuple>();
    SampleParameter parameter{row[0].cast<std::string>(), std::string()};
    const py::object prior = row[1];
    if (py::isinstance<py::str>(prior))
      parameter.prior = prior.cast<std::string>();
    else if (py::isinstance<Prior>(prior))
      parameter.prior = prior.cast<Prior>();
    else
      refuse("parameters." + parameter.name, prior, "a prior such as hunch.lognormal(1, 0.5)");
    if (!row[2].is_none()) parameter.start = real(("start." + parameter.name).c_str(), row[2]);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

SampleOptions options_of(const py::dict& given) {
  SampleOptions options;
  read_counts(given, options);
  read_texts(given, options);
  read_budget(given, options);
  if (const auto value = given_in(given, "resume"))
    options.existing = value->cast<bool>() ? ExistingRun::extend : ExistingRun::refuse;
  return options;
}

ModelConfig model_from(const std::string& table) {
  return parse_config("[model]\n" + table + "\n[parameters]\nx = { prior = \"flat\", start = 0.0 }\n", "")
      .model;
}

}  // namespace hunch::python
