// Resolved: a config written as TOML with every default filled in, to be kept beside the results.
#pragma once

#include <string>

#include "hunch/config/config.hpp"

namespace hunch {

// Equal configs give the same text; parse_config(to_toml(config)) == config, numbers bit for bit.
std::string to_toml(const Config& config);

}  // namespace hunch
