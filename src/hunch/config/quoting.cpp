#include "hunch/config/quoting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "hunch/target/number_text.hpp"

namespace hunch {
namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::string escaped(char c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  return fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
}

bool is_bare(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string string_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += is_control(c) ? escaped(c) : std::string(1, c);
  }
  return result + "\"";
}

std::string key_text(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), is_bare) ? std::string(key) : string_text(key);
}

std::string float_text(double value) {
  const std::string text = number_text(value);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

std::string array_text(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : text) result += is_control(c) ? escaped(c) : std::string(1, c);
  return result;
}

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  // Bytes 10xxxxxx continue a character of UTF-8.
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return std::string(text.substr(0, bytes)) + "...";
}

}  // namespace hunch
