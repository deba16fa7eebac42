// Template: the config file that a new user starts from.
#pragma once

#include <string>

namespace hunch {

// TOML that parse_config accepts, for a simulator in Python as a long-lived worker; every choice is
// explained.
std::string config_template();

}  // namespace hunch
