// Sampled: a run's result, as Python sees it: arrays, dictionaries, files.
#pragma once

#include <pybind11/pybind11.h>

#include <filesystem>
#include <memory>

#include "hunch/run/sample.hpp"
#include "memory.hpp"

namespace hunch::python {

struct Sampled {
  SampleResult result;
  std::shared_ptr<Memory> memory;  // of a run that is kept in this process alone
};

void bind_sampled(pybind11::module_& module);

}  // namespace hunch::python
