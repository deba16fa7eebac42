#include "hunch/report/number_words.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace hunch {

namespace {
const char* const dash = "\xE2\x80\x93";

std::vector<double> multiples(double step, const Range& range) {
  std::vector<double> numbers;
  const double first = std::ceil(range.low / step - 1e-9);
  for (double i = first; i * step <= range.high + 1e-9 * step && numbers.size() < 50; ++i)
    numbers.push_back(i == 0 ? 0.0 : i * step);
  return numbers;
}

}  // namespace

std::string in_short(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  return fmt::format("{:.4g}", value == 0 ? 0.0 : value);
}

std::string in_short(const std::optional<double>& value) {
  return value ? in_short(*value) : dash;
}

std::string fixed_digits(const std::optional<double>& value, int digits) {
  if (!value || std::isnan(*value)) return dash;
  if (std::isinf(*value)) return *value > 0 ? "infinity" : "-infinity";
  return std::abs(*value) < 1e6 ? fmt::format("{:.{}f}", *value, digits) : in_short(*value);
}

std::string rhat_in_words(const std::optional<double>& rhat) {
  std::string words = fixed_digits(rhat, 3);
  for (int digits = 4; digits <= 6 && words == "1.010" && rhat > 1.01; ++digits) {
    words = fixed_digits(rhat, digits);
    if (words.find_first_not_of('0', 4) == std::string::npos) words = "1.010";
  }
  return words;
}

std::string counted(std::int64_t count) {
  const std::string digits = std::to_string(count);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool after_digit = i > 0 && digits[i - 1] != '-';
    if (after_digit && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string counted(const std::optional<double>& count) {
  return count && std::isfinite(*count) ? counted(static_cast<std::int64_t>(std::llround(*count))) : dash;
}

std::string percent(double share) {
  if (!std::isfinite(share)) return dash;
  const double hundredths = 100 * share;
  const bool fine = hundredths != 0 && std::abs(hundredths) < 10 && hundredths != std::round(hundredths);
  return fmt::format("{:.{}f} %", hundredths, fine ? 1 : 0);
}

std::string seconds_in_words(double seconds) {
  if (!std::isfinite(seconds)) return dash;
  if (seconds < 1e-3) return fmt::format("{:.3g} \xC2\xB5s", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  return fmt::format("{:.3g} h", seconds / 3600);
}

std::string counted_things(std::int64_t count, const std::string& one) {
  return counted(count) + " " + one + (count == 1 ? "" : "s");
}

std::vector<double> round_numbers(const Range& range, int about) {
  std::vector<double> numbers;
  if (!(range.width() > 0) || !std::isfinite(range.width())) return numbers;
  const double rough = range.width() / about;
  double power = std::pow(10, std::floor(std::log10(rough)));
  constexpr std::array mantissas = {1.0, 2.0, 5.0, 10.0};
  std::size_t which = 0;
  while (which < 3 && mantissas[which] * power < 0.7 * rough) ++which;
  numbers = multiples(mantissas[which] * power, range);
  while (numbers.size() < 2 && mantissas[which] * power > 0.1 * range.width()) {
    if (which == 0) power /= 10;
    which = which == 0 ? 2 : which - 1;
    numbers = multiples(mantissas[which] * power, range);
  }
  return numbers;
}

}  // namespace hunch
