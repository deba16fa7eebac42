#include "hunch/draws/utf8.hpp"

#include <cstddef>

namespace hunch {

namespace {

struct Lead {
  std::size_t length;
  char32_t bits;
  char32_t smallest;  // a smaller code in so many bytes is overlong
};

std::optional<Lead> lead(unsigned char byte) {
  if (byte < 0x80) return Lead{1, byte, 0};
  if (byte >= 0xC0 && byte < 0xE0) return Lead{2, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return Lead{3, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte < 0xF8) return Lead{4, byte & 0x07u, 0x10000};
  return std::nullopt;
}

Character first_character(std::string_view text) {
  const Character invalid{std::nullopt, text.substr(0, 1)};
  const std::optional<Lead> start = lead(static_cast<unsigned char>(text.front()));
  if (!start || start->length > text.size()) return invalid;
  char32_t code = start->bits;
  for (std::size_t i = 1; i < start->length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return invalid;
    code = (code << 6) | (byte & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < start->smallest || code > 0x10FFFF || surrogate) return invalid;
  return {code, text.substr(0, start->length)};
}

}  // namespace

std::vector<Character> decode_utf8(std::string_view text) {
  std::vector<Character> characters;
  while (!text.empty()) {
    characters.push_back(first_character(text));
    text.remove_prefix(characters.back().bytes.size());
  }
  return characters;
}

}  // namespace hunch
