// Request: what Python asks for, as the library's own values.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "hunch/run/sample.hpp"

namespace hunch::python {

// A family by its name, its arguments in their order, and bounds. InputError in the config's words.
Prior prior_of(const std::string& family, const std::vector<double>& arguments, std::optional<double> lower,
               std::optional<double> upper);

// [(name, Prior or text, start or None)]
std::vector<SampleParameter> parameters_of(const pybind11::list& given);

// The entries of SampleOptions that Python knows, by their names there. InputError: which, what was given,
// what was expected.
SampleOptions options_of(const pybind11::dict& given);

// The table [model] of a config, as text.
ModelConfig model_from(const std::string& text);

}  // namespace hunch::python
