// Digest: a fingerprint of bytes, to tell whether two files or two sets of draws are the same.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hunch/draws/draws.hpp"

namespace hunch {

std::string sha256(std::string_view bytes);                     // 64 hexadecimal digits
std::string sha256_of_file(const std::filesystem::path& file);  // throws InputError if it cannot be read
// Of the draws' bits, chain by chain, draw by draw, parameter by parameter.
std::string sha256_of_draws(const Draws& draws);

}  // namespace hunch
