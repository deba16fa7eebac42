#include "hunch/config/duration.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "hunch/target/number_text.hpp"

namespace hunch {
namespace {

struct Unit {
  char letter;
  std::int64_t seconds;
};
constexpr std::array units{Unit{'d', 86400}, Unit{'h', 3600}, Unit{'m', 60}, Unit{'s', 1}};

}  // namespace

std::optional<double> duration_from(std::string_view text) {
  if (text.empty()) return std::nullopt;
  double total = 0;
  for (const Unit& unit : units) {
    const auto end = text.find_first_not_of("0123456789.");
    if (end == std::string_view::npos || text[end] != unit.letter) continue;
    const auto count = number_from(text.substr(0, end));
    if (!count) return std::nullopt;
    total += *count * static_cast<double>(unit.seconds);
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) return std::nullopt;
  return total;
}

std::string duration_text(double seconds) {
  if (seconds != std::floor(seconds)) {
    char buffer[512];  // the smallest double has some 330 digits
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, seconds, std::chars_format::fixed).ptr;
    return std::string(buffer, end) + "s";
  }
  auto left = static_cast<std::int64_t>(seconds);
  std::string text;
  for (const Unit& unit : units) {
    if (left >= unit.seconds) text += std::to_string(left / unit.seconds) + unit.letter;
    left %= unit.seconds;
  }
  return text;
}

}  // namespace hunch
