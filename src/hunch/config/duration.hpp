// Duration: a length of time as people write it, "90s", "10m", "1h30m", "2d", and as seconds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hunch {

inline constexpr double longest_duration_seconds = 3650.0 * 86400;

// Numbers with the units d, h, m, s, each at most once and in this order; nothing for any other text.
std::optional<double> duration_from(std::string_view text);

// duration_from(duration_text(s)) == s for 0 < s <= longest_duration_seconds.
std::string duration_text(double seconds);

}  // namespace hunch
