#include "hunch/config/field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hunch/config/duration.hpp"
#include "hunch/config/quoting.hpp"
#include "hunch/config/suggestion.hpp"
#include "hunch/core/types.hpp"

namespace hunch {
namespace {

constexpr std::size_t longest_shown = 80;  // bytes of a value in a refusal

std::string number_shown(double value) {
  if (std::isfinite(value)) return float_text(value);
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string kind_shown(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return node.as_array()->empty() ? "an empty array" : "an array";
  return "a date or a time";
}

std::vector<std::string> strings(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}

}  // namespace

std::string one_of(const std::vector<std::string>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

Field::Field(const toml::table& document, const std::string& file) : Field(document, "", "", file) {}

Field::Field(const toml::node& node, std::string path, std::string key, const std::string& file)
    : node_(&node), path_(std::move(path)), key_(std::move(key)), file_(&file) {}

std::string Field::given() const {
  if (const auto* value = node_->as_string()) return string_text(shortened(value->get(), longest_shown));
  if (const auto* value = node_->as_integer()) return std::to_string(value->get());
  if (const auto* value = node_->as_floating_point()) return number_shown(value->get());
  if (const auto* value = node_->as_boolean()) return value->get() ? "true" : "false";
  return kind_shown(*node_);
}

void Field::refuse(const std::string& problem) const {
  const auto line = std::max<toml::source_index>(1, node_->source().begin.line);
  const std::string place = file_->empty() ? "" : fmt::format("{}:{}: ", *file_, line);
  const std::string key = path_.empty() ? "" : path_ + ": ";
  constexpr std::size_t longest_line = 1000;
  throw InputError(shortened(one_line(place + key + problem), longest_line));
}

void Field::expected(const std::string& allowed) const {
  refuse("got " + given() + ", expected " + allowed);
}

std::string Field::text(const std::string& meaning) const {
  const auto* value = node_->as_string();
  if (!value || value->get().empty() || value->get().find('\0') != std::string::npos) expected(meaning);
  return value->get();
}

bool Field::is_text(std::string_view text) const {
  const auto* value = node_->as_string();
  return value && value->get() == text;
}

std::int64_t Field::whole(WholeNumbers allowed) const {
  const auto* value = node_->as_integer();
  if (!value) expected(fmt::format("a whole number, {} or more", allowed.lowest));
  if (value->get() < allowed.lowest) expected(fmt::format("{} or more", allowed.lowest));
  if (value->get() > allowed.highest) expected(fmt::format("{} or less", allowed.highest));
  return value->get();
}

double Field::number() const {
  if (const auto* value = node_->as_integer()) return static_cast<double>(value->get());
  const auto* value = node_->as_floating_point();
  if (!value) expected("a number");
  if (!std::isfinite(value->get())) expected("a finite number");
  return value->get();
}

double Field::positive_number() const {
  const double value = number();
  if (!(value > 0)) expected("a number greater than 0");
  return value;
}

bool Field::flag() const {
  const auto* value = node_->as_boolean();
  if (!value) expected("true or false");
  return value->get();
}

double Field::seconds() const {
  const std::string allowed =
      "a duration such as \"90s\", \"10m\", \"1h30m\" or \"2d\", or a number of seconds";
  std::optional<double> value;
  if (const auto* text = node_->as_string()) value = duration_from(text->get());
  if (node_->is_number()) value = number();
  if (!value) expected(allowed);
  if (!(*value > 0 && *value <= longest_duration_seconds)) expected("more than 0 and at most 3650 days");
  return *value;
}

bool Field::is_table() const {
  return node_->is_table();
}

bool Field::is_array() const {
  return node_->is_array();
}

std::vector<Field> Field::items() const {
  const auto* array = node_->as_array();
  if (!array) expected("an array");
  std::vector<Field> result;
  for (const toml::node& node : *array)
    result.push_back(Field(node, fmt::format("{}[{}]", path_, result.size()), "", *file_));
  return result;
}

const toml::table& Field::table() const {
  if (const auto* table = node_->as_table()) return *table;
  expected("a table");
}

Field Field::member(std::string_view key, const toml::node& node) const {
  return {node, (path_.empty() ? "" : path_ + ".") + key_text(key), std::string(key), *file_};
}

// A table of the parser is sorted by key: the file's order is in the positions.
std::vector<Field> Field::members() const {
  std::vector<std::pair<toml::source_position, Field>> placed;
  for (const auto& [key, node] : table()) placed.emplace_back(key.source().begin, member(key.str(), node));
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Field> result;
  for (auto& [position, field] : placed) result.push_back(std::move(field));
  return result;
}

std::optional<Field> Field::find(std::string_view key) const {
  const toml::node* node = table().get(key);
  return node ? std::optional(member(key, *node)) : std::nullopt;
}

Field Field::need(std::string_view key, const std::string& meaning) const {
  if (const auto field = find(key)) return *field;
  member(key, *node_).refuse("missing, expected " + meaning);
}

void Field::allow_keys(std::span<const std::string_view> known) const {
  for (const Field& field : members()) {
    if (std::find(known.begin(), known.end(), field.key()) != known.end()) continue;
    const auto meant = nearest(field.key(), known);
    if (meant) field.refuse(fmt::format("unknown key, did you mean {}?", *meant));
    field.refuse("unknown key, expected " + one_of(strings(known)));
  }
}

std::string Field::json_object() const {
  constexpr int most_levels = 64;
  return json_of_table(most_levels);
}

std::string Field::json_of_table(int levels) const {
  std::string result;
  for (const auto& [key, node] : table())
    result += (result.empty() ? "" : ", ") + string_text(key.str()) + ": " +
              member(key.str(), node).json(levels - 1);
  return "{" + result + "}";
}

std::string Field::json(int levels) const {
  if (levels < 0) expected("fewer levels of tables and arrays");
  if (node_->is_table()) return json_of_table(levels);
  if (node_->is_array()) {
    std::string result;
    for (const Field& item : items()) result += (result.empty() ? "" : ", ") + item.json(levels - 1);
    return "[" + result + "]";
  }
  if (const auto* value = node_->as_string()) return string_text(value->get());
  if (node_->is_floating_point()) return float_text(number());
  if (node_->is_integer() || node_->is_boolean()) return given();
  expected("a text, a number, true, false, an array or a table");
}

}  // namespace hunch
