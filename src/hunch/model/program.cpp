#include "hunch/model/program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "hunch/model/answer.hpp"

namespace hunch {

std::string Program::question(const Vector& theta) const {
  std::string line = "{";
  for (std::size_t i = 0; i < keys.size(); ++i)
    line += fmt::format("{}{}: {:.17g}", i == 0 ? "" : ", ", keys[i], theta[static_cast<Index>(i)]);
  return line + "}\n";
}

std::string Program::filled(std::string_view text, const Vector& theta) const {
  return fill_placeholders(text, [&](std::string_view name) {
    const auto& names = settings.parameter_names;
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end()) return fmt::format("{{{{{}}}}}", name);  // in a path of the user's
    return fmt::format("{:.17g}", theta[place - names.begin()]);
  });
}

Instant Program::deadline() const {
  constexpr double longest_seconds = 1e9;  // beyond it a clock could overflow; nobody waits 30 years
  const std::chrono::duration<double> timeout(std::min(settings.timeout_seconds, longest_seconds));
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<Instant::duration>(timeout);
}

std::string fill_placeholders(std::string_view text,
                              const std::function<std::string(std::string_view name)>& replacement) {
  std::string result;
  for (;;) {
    const auto open = text.find("{{");
    const auto close = open == std::string_view::npos ? open : text.find("}}", open);
    if (close == std::string_view::npos) return result += text;
    std::string_view name = text.substr(open + 2, close - open - 2);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    result += text.substr(0, open);
    result += replacement(name);
    text.remove_prefix(close + 2);
  }
}

Outcome abandoned() {
  return {OutcomeKind::lost, {}, "the evaluation was abandoned"};
}

Outcome failed(OutcomeKind kind, std::string what, const ChildProcess& child) {
  std::string_view words = child.last_words();
  while (words.ends_with('\n')) words.remove_suffix(1);
  if (!words.empty()) what += fmt::format("; its last words: \"{}\"", printable(words));
  return {kind, {}, std::move(what)};
}

}  // namespace hunch
