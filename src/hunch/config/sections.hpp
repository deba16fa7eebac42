// Sections: the four tables of a config file, each read into its struct.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "hunch/config/config.hpp"
#include "hunch/config/field.hpp"

namespace hunch {

inline constexpr std::array<std::string_view, 4> section_keys{"model", "parameters", "sampler", "budget"};

ModelConfig read_model(const Field& table);
std::vector<ParameterConfig> read_parameters(const Field& table);
SamplerConfig read_sampler(const Field& table);
BudgetConfig read_budget(const Field& table);

}  // namespace hunch
