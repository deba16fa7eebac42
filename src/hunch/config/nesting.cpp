#include "hunch/config/nesting.hpp"

#include <algorithm>

namespace hunch {
namespace {

// Just after the string that opens at `at`; an unfinished one ends with its line, where the parser stops too.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool many_lines = text.substr(at, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''");
  const std::string_view closing = text.substr(at, many_lines ? 3 : 1);
  for (std::size_t i = at + closing.size(); i < text.size(); ++i) {
    if (text[i] == '\n' && !many_lines) return i;
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text.substr(i, closing.size()) == closing) {
      i += closing.size();
      // Up to two quotes more may belong to the text of a string of many lines.
      for (int more = 0; many_lines && more < 2 && i < text.size() && text[i] == quote; ++more) ++i;
      return i;
    }
  }
  return text.size();
}

}  // namespace

std::optional<std::size_t> line_of_too_deep_key(std::string_view text) {
  constexpr std::string_view between_keys = "\n=,[]{}";
  std::size_t dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = end_of_string(text, i);
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else {
      if (between_keys.find(c) != std::string_view::npos) dots = 0;
      if (c == '.') ++dots;
      if (dots > most_dots)
        return 1 +
               static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(i), '\n'));
      ++i;
    }
  }
  return std::nullopt;
}

}  // namespace hunch
