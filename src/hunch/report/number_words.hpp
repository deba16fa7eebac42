// NumberWords: numbers as people read them in text, tables and on axes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hunch {

std::string in_short(double value);                        // four significant digits
std::string in_short(const std::optional<double>& value);  // a dash for nothing
std::string fixed_digits(const std::optional<double>& value, int digits);
// Three digits; more where only they show on which side of 1.01 it is.
std::string rhat_in_words(const std::optional<double>& rhat);
std::string counted(std::int64_t count);                  // 12,345
std::string counted(const std::optional<double>& count);  // rounded; a dash for nothing
std::string percent(double share);                        // of a share: "37 %", "0.4 %"
std::string seconds_in_words(double seconds);             // "38 ms", "2.1 s", "14 min"
// "1 chain", "4 chains".
std::string counted_things(std::int64_t count, const std::string& one);

struct Range {
  double low, high;
  double width() const { return high - low; }
};

// Round numbers inside the range, about so many, at least two where there can be.
std::vector<double> round_numbers(const Range& range, int about);

}  // namespace hunch
