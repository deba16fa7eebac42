// Nesting: where a text of TOML goes deeper by dotted keys than the parser's recursion can follow.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace hunch {

// The parser bounds brackets, 256 deep, but not the parts of a key between them: with this bound the whole is
// at most some four thousand deep.
inline constexpr std::size_t most_dots = 16;

// The line, from 1, of the first key with more dots than that; exact for text that is valid up to there.
std::optional<std::size_t> line_of_too_deep_key(std::string_view text);

}  // namespace hunch
