// Suggestion: the known word that a misspelt one was probably meant to be.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace hunch {

// Nothing if no known word is near: a third of the letters off, or one the beginning of the other.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace hunch
