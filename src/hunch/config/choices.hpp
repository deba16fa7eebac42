// Choices: how the closed choices of a config are written in its file.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "hunch/config/config.hpp"

namespace hunch {

template <class Choice>
struct NamedChoice {
  std::string_view name;
  Choice value;
};
template <class Choice>
NamedChoice(const char*, Choice) -> NamedChoice<Choice>;

// All there are, found by type: the argument's value does not matter.
constexpr auto choices(ProgramConfig::Style) {
  using enum ProgramConfig::Style;
  return std::array{NamedChoice{"worker", worker}, NamedChoice{"once", once}};
}
constexpr auto choices(ServerConfig::Gives) {
  using enum ServerConfig::Gives;
  return std::array{NamedChoice{"log_likelihood", log_likelihood},
                    NamedChoice{"log_posterior", log_posterior}, NamedChoice{"forward", forward}};
}
constexpr auto choices(ModelConfig::OnFailure) {
  using enum ModelConfig::OnFailure;
  return std::array{NamedChoice{"stop", stop}, NamedChoice{"reject", reject}};
}
constexpr auto choices(SamplerConfig::Method) {
  using enum SamplerConfig::Method;
  return std::array{
      NamedChoice{"mh", mh},           NamedChoice{"gp-mh", gp_mh},           NamedChoice{"mala", mala},
      NamedChoice{"gp-mala", gp_mala}, NamedChoice{"transition", transition}, NamedChoice{"auto", automatic}};
}
constexpr auto choices(SamplerConfig::Screen) {
  using enum SamplerConfig::Screen;
  return std::array{NamedChoice{"early", early}, NamedChoice{"paper", paper}, NamedChoice{"ratio", ratio}};
}
constexpr auto choices(SamplerConfig::Learning) {
  using enum SamplerConfig::Learning;
  return std::array{NamedChoice{"continue", proceed}, NamedChoice{"freeze", freeze},
                    NamedChoice{"epochs", epochs}};
}
constexpr auto choices(SamplerConfig::Exactness) {
  using enum SamplerConfig::Exactness;
  return std::array{NamedChoice{"exact", exact}, NamedChoice{"audited", audited}};
}
constexpr auto choices(SamplerConfig::Covariance) {
  using enum SamplerConfig::Covariance;
  return std::array{NamedChoice{"se", se}, NamedChoice{"matern52", matern52}};
}

template <class Choice>
std::string name_of(Choice value) {
  std::string name;
  for (const auto& choice : choices(value))
    if (choice.value == value) name = choice.name;
  return name;
}

// The key of the model's table that the door came from.
inline std::string door_key(const DoorConfig& door) {
  constexpr std::array keys{"command", "url", "library", "problem", "function"};
  static_assert(keys.size() == std::variant_size_v<DoorConfig>);
  return keys[door.index()];
}

}  // namespace hunch
