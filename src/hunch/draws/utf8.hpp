// Utf8: text as characters, where bytes that are no characters are seen as such.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace hunch {

struct Character {
  std::optional<char32_t> code;  // none: one byte that is not part of valid UTF-8
  std::string_view bytes;        // into the text that was decoded
};

std::vector<Character> decode_utf8(std::string_view text);

}  // namespace hunch
