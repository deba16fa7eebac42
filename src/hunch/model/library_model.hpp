// LibraryModel: a likelihood in a shared library with the C interface of hunch_model.h.
#pragma once

#include <filesystem>
#include <memory>

#include "hunch/model/model.hpp"

namespace hunch {

// Loads the library; it is unloaded with the model. InputError when the file cannot be loaded, lacks a
// function, has another interface version or another dimension. A failure that the library reports, or a C++
// exception that leaves it, is `crash`. There is no deadline: a function in this process cannot be stopped.
std::unique_ptr<Model> open_library(const std::filesystem::path& path, Index dimension);

}  // namespace hunch
