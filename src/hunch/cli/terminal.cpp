#include "hunch/cli/terminal.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace hunch::cli {

bool people_watch() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

ScreenSize screen_size() {
  winsize said{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &said) != 0 || said.ws_col == 0 || said.ws_row == 0) return {80, 24};
  return {said.ws_col, said.ws_row};
}

std::string cut(std::string_view text, int longest) {
  if (static_cast<int>(text.size()) <= longest) return std::string(text);
  auto end = static_cast<std::size_t>(std::max(0, longest));
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end));
}

std::string clock_text(double seconds) {
  const long whole = static_cast<long>(std::clamp(seconds, 0.0, 1e12) + 0.5);
  const long days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60, rest = whole % 60;
  if (days > 0)
    return fmt::format("{} day{} {}:{:02}:{:02}", days, days == 1 ? "" : "s", hours, minutes, rest);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, rest);
  return fmt::format("{}:{:02}", minutes, rest);
}

void LiveScreen::show(const std::vector<std::string>& lines) {
  const int columns = std::max(2, screen_size().columns);
  int height = 0;  // of what is there: a window made narrower has folded it
  for (const int length : shown_) height += std::max(1, (length + columns - 1) / columns);
  std::string out = "\r";
  if (height > 0) out += fmt::format("\033[{}A", height);
  out += "\033[J";
  shown_.clear();
  for (const std::string& line : lines) {
    const std::string fitting = cut(line, columns - 1);  // the last column may already fold
    shown_.push_back(static_cast<int>(fitting.size()));
    out += fitting + "\n";
  }
  fmt::print(stderr, "{}", out);
  std::fflush(stderr);
}

}  // namespace hunch::cli
