// Quoting: texts, keys and numbers written so that TOML reads them back, and so that they stay on one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hunch {

// A basic string of TOML that is also a string of JSON.
std::string string_text(std::string_view text);

// A key of TOML: bare if it may be.
std::string key_text(std::string_view key);

// A float of TOML and of JSON: shortest form that reads back to the same bits, "4.0" for four. Finite only.
std::string float_text(double value);

// "[a, b]" for items already written.
std::string array_text(const std::vector<std::string>& items);

// Control characters written as escapes: what a terminal shows is one line, whatever was in the file.
std::string one_line(std::string_view text);

// No more than about `bytes` of it, cut between characters, "..." in place of the rest.
std::string shortened(std::string_view text, std::size_t bytes);

}  // namespace hunch
