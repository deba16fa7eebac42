// TextFile: a file's whole content, or one line that says why not.
#pragma once

#include <filesystem>
#include <string>

namespace hunch {

// Throws InputError: "cannot read PATH" and the hint, if there is one.
std::string text_of(const std::filesystem::path& file, const std::string& hint = "");

}  // namespace hunch
