// Overrides: what the command line says against a config file, checked as the file itself is.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hunch/config/config.hpp"

namespace hunch::cli {

struct Overrides {
  std::optional<std::int64_t> seed, chains, warmup, draws;
  std::optional<std::string> method;
};

void add_overrides(CLI::App& command, Overrides& overrides);

std::vector<std::string> words_of(const Overrides& overrides);  // "--seed 7", one for each that is given

// Throws InputError: "sampler.chains: got 0, expected 1 to 1000".
Config apply(const Overrides& overrides, Config config);

}  // namespace hunch::cli
