#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/target/family.hpp"
#include "hunch/target/number_text.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {
namespace {

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

[[noreturn]] void refuse(std::string_view text, const std::string& problem) {
  throw InputError("prior " + quoted(text) + ": " + problem);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// A prior's text taken apart, before anything is known about the family.
struct Call {
  std::string_view name;
  std::vector<double> arguments;
  std::optional<double> lower, upper;
};

double number_or_refuse(std::string_view text, std::string_view word, const std::string& what) {
  if (const auto value = number_from(word)) return *value;
  refuse(text, what + " must be a number that fits a double, got " + quoted(word));
}

void read_bound(std::string_view text, std::string_view word, Call& call) {
  const auto equals = word.find('=');
  const std::string_view key = trimmed(word.substr(0, equals));
  if (key != "lower" && key != "upper")
    refuse(text, "only lower= and upper= may be given by name, got " + quoted(key));
  std::optional<double>& bound = key == "lower" ? call.lower : call.upper;
  if (bound) refuse(text, std::string(key) + " is given twice");
  bound = number_or_refuse(text, trimmed(word.substr(equals + 1)), std::string(key));
}

void read_argument(std::string_view text, std::string_view word, Call& call) {
  if (word.find('=') != std::string_view::npos) return read_bound(text, word, call);
  if (call.lower || call.upper) refuse(text, "the family's arguments come before lower= and upper=");
  const std::string what = "argument " + std::to_string(call.arguments.size() + 1);
  call.arguments.push_back(number_or_refuse(text, word, what));
}

Call read_call(std::string_view text) {
  const std::string_view whole = trimmed(text);
  const auto open = whole.find('(');
  Call call{trimmed(whole.substr(0, open)), {}, {}, {}};
  if (call.name.empty()) refuse(text, "expected a family and its arguments, such as normal(0, 1)");
  if (open == std::string_view::npos) return call;
  if (whole.back() != ')') refuse(text, "the closing parenthesis is missing or not the last character");
  std::string_view rest = trimmed(whole.substr(open + 1, whole.size() - open - 2));
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    read_argument(text, trimmed(rest.substr(0, comma)), call);
    if (comma == std::string_view::npos) break;
    rest = trimmed(rest.substr(comma + 1));
    if (rest.empty()) refuse(text, "an argument is missing after the last comma");
  }
  return call;
}

template <class F>
std::string signature_text() {
  std::string result(Signature<F>::name);
  const char* separator = "(";
  for (const Argument<F>& argument : Signature<F>::arguments) {
    result += separator + std::string(argument.name);
    separator = ", ";
  }
  return Signature<F>::arguments.empty() ? result : result + ")";
}

template <class F>
Family make_family(std::string_view text, const Call& call) {
  constexpr std::size_t expected = Signature<F>::arguments.size();
  if (call.arguments.size() != expected)
    refuse(text, "expected " + signature_text<F>() + " with " + std::to_string(expected) +
                     (expected == 1 ? " argument" : " arguments") + " and optional bounds, got " +
                     std::to_string(call.arguments.size()));
  F family{};
  for (std::size_t i = 0; i < expected; ++i) family.*Signature<F>::arguments[i].value = call.arguments[i];
  return family;
}

// Calls the visitor once for each family of the closed set.
template <class Visitor, class... F>
void for_each_family(std::variant<F...>*, Visitor visitor) {
  (visitor.template operator()<F>(), ...);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

[[noreturn]] void refuse_family(std::string_view text, std::string_view name) {
  std::string known;
  std::string_view nearest;
  for_each_family(static_cast<Family*>(nullptr), [&]<class F>() {
    known += (known.empty() ? "" : ", ") + signature_text<F>();
    if (nearest.empty() || edit_distance(name, Signature<F>::name) < edit_distance(name, nearest))
      nearest = Signature<F>::name;
  });
  refuse(text,
         "unknown family " + quoted(name) + "; did you mean " + std::string(nearest) + "? Known: " + known);
}

std::string argument_list(const Prior& prior) {
  std::string list;
  const auto add = [&](const std::string& word) { list += (list.empty() ? "" : ", ") + word; };
  std::visit(
      [&]<class F>(const F& family) {
        for (const Argument<F>& argument : Signature<F>::arguments) add(number_text(family.*argument.value));
      },
      prior.family);
  if (prior.lower) add("lower=" + number_text(*prior.lower));
  if (prior.upper) add("upper=" + number_text(*prior.upper));
  return list;
}

}  // namespace

Prior parse_prior(std::string_view text) {
  const Call call = read_call(text);
  std::optional<Family> family;
  for_each_family(static_cast<Family*>(nullptr), [&]<class F>() {
    if (call.name == Signature<F>::name) family = make_family<F>(text, call);
  });
  if (!family) refuse_family(text, call.name);
  Prior prior{*family, call.lower, call.upper};
  validate(prior);
  return prior;
}

std::string to_text(const Prior& prior) {
  const auto name = std::visit([]<class F>(const F&) { return Signature<F>::name; }, prior.family);
  const std::string list = argument_list(prior);
  return list.empty() ? std::string(name) : std::string(name) + "(" + list + ")";
}

}  // namespace hunch
