#include "hunch/draws/parameter_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>

#include "hunch/draws/named_array.hpp"
#include "hunch/draws/utf8.hpp"

namespace hunch {

namespace {

bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char32_t c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

class Unique {
 public:
  explicit Unique(const std::vector<std::string>& reserved = {}) : taken_(reserved.begin(), reserved.end()) {}

  std::string operator()(const std::string& wanted) {
    std::string name = wanted;
    for (int next = 2; !taken_.insert(name).second; ++next) name = wanted + "_" + std::to_string(next);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

// "beta" for U+03B2, "Beta" for U+0392; the micro sign is mu.
std::optional<std::string> greek(char32_t code) {
  static constexpr std::array<const char*, 25> letters = {
      "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta",    "eta",  "theta", "iota",
      "kappa", "lambda", "mu",      "nu",    "xi",      "omicron", "pi",   "rho",   "sigma",
      "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",     "omega"};
  if (code == 0xB5) return "mu";
  if (code >= 0x3B1 && code <= 0x3C9) return letters[code - 0x3B1];
  if (code < 0x391 || code > 0x3A9) return std::nullopt;
  std::string name = letters[code - 0x391];
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name;
}

bool is_word_of_r(const std::string& name) {
  static const std::set<std::string> words = {"if",   "else", "repeat", "while", "function",
                                              "for",  "next", "break",  "TRUE",  "FALSE",
                                              "NULL", "Inf",  "NaN",    "NA",    "in"};
  return words.count(name) > 0;
}

std::string plain_stan_name(std::string_view name) {
  std::string plain;
  for (const Character& c : decode_utf8(name)) {
    const char32_t code = c.code.value_or(0);
    const std::optional<std::string> spelled = greek(code);
    const bool odd = !spelled && !is_letter(code) && !is_digit(code) && code != '_';
    if (spelled) plain += *spelled;
    if (!spelled && !odd) plain += c.bytes;
    if (odd && !plain.ends_with('_')) plain += '_';
  }
  plain.erase(0, std::min(plain.find_first_not_of('_'), plain.size()));
  plain.erase(plain.find_last_not_of('_') + 1);
  if (plain.empty()) return "p";
  if (!is_letter(static_cast<unsigned char>(plain.front()))) return fmt::format("p_{}", plain);
  return is_word_of_r(plain) ? fmt::format("{}_", plain) : plain;
}

}  // namespace

std::vector<std::string> stan_names(const std::vector<std::string>& names) {
  Unique unique;
  std::vector<std::string> out;
  while (out.size() < names.size()) {
    const std::size_t here = out.size();
    const std::optional<NamedArray> array = array_at(names, here);
    const std::string name = unique(plain_stan_name(array ? array->base : names[here]));
    if (!array) out.push_back(name);
    if (array)
      for (const Indices& cell : array->cells)
        out.push_back(fmt::format("{}.{}", name, fmt::join(cell, ".")));
  }
  return out;
}

std::vector<std::string> netcdf_names(const std::vector<std::string>& names,
                                      const std::vector<std::string>& dimensions) {
  constexpr std::size_t longest = 200;  // netCDF's own limit is 256, and a number may follow
  Unique unique(dimensions);
  std::vector<std::string> out;
  for (const std::string& name : names) {
    std::string kept;
    for (const Character& c : decode_utf8(name)) {
      const bool odd = !c.code || *c.code < 0x20 || *c.code == 0x7F || *c.code == '/';
      if (kept.size() + c.bytes.size() > longest) break;
      kept += odd ? "_" : c.bytes;
    }
    for (std::size_t i = kept.size(); i > 0 && kept[i - 1] == ' '; --i) kept[i - 1] = '_';
    const auto first = static_cast<unsigned char>(kept.empty() ? ' ' : kept.front());
    if (first < 0x80 && !is_letter(first) && !is_digit(first) && first != '_')
      kept = fmt::format("_{}", kept);
    out.push_back(unique(kept));
  }
  return out;
}

std::vector<std::string> csv_names(const std::vector<std::string>& names,
                                   const std::vector<std::string>& fixed_columns) {
  Unique unique(fixed_columns);
  std::vector<std::string> out;
  for (const std::string& name : names) out.push_back(unique(name));
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  for (const Character& c : decode_utf8(text)) {
    if (c.code.value_or(0) == 0)
      valid += '?';
    else
      valid += c.bytes;
  }
  return valid;
}

}  // namespace hunch
