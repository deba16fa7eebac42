// Field: one value of a TOML document, its place and its key; reads it as what it should be, or refuses it.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hunch {

std::string one_of(const std::vector<std::string>& names);  // "a, b or c"

struct WholeNumbers {
  std::int64_t lowest, highest;
};

// Every refusal is an InputError in one line: file, line, key, what was given, what is allowed.
// A field refers to its document and to the file's name: both must outlive it.
class Field {
 public:
  Field(const toml::table& document, const std::string& file);  // the whole of it

  const std::string& key() const { return key_; }  // as the user means it; empty for the document and items

  std::string given() const;  // the value as a refusal shows it
  [[noreturn]] void refuse(const std::string& problem) const;
  [[noreturn]] void expected(const std::string& allowed) const;  // "got <given>, expected <allowed>"

  std::string text(const std::string& meaning) const;  // not empty, without NUL
  std::int64_t whole(WholeNumbers allowed) const;
  double number() const;           // finite; a whole number will do
  double positive_number() const;  // finite, > 0
  bool flag() const;
  double seconds() const;  // "1h30m", or a number of seconds
  template <class Choice>
  Choice choice() const;

  bool is_text(std::string_view text) const;
  bool is_array() const;
  bool is_table() const;
  std::vector<Field> items() const;  // of an array

  std::vector<Field> members() const;  // of a table, in the order of the file
  std::optional<Field> find(std::string_view key) const;
  Field need(std::string_view key, const std::string& meaning) const;
  void allow_keys(std::span<const std::string_view> known) const;

  std::string json_object() const;  // a table, in one line, its keys sorted; at most 64 levels of it

 private:
  Field(const toml::node& node, std::string path, std::string key, const std::string& file);
  Field member(std::string_view key, const toml::node& node) const;
  const toml::table& table() const;
  std::string json(int levels) const;
  std::string json_of_table(int levels) const;

  const toml::node* node_;
  std::string path_;  // "sampler.warmup", "model.data[2]"; empty for the document
  std::string key_;
  const std::string* file_;
};

template <class Choice>
Choice Field::choice() const {
  std::vector<std::string> names;
  for (const auto& choice : choices(Choice{})) {
    if (is_text(choice.name)) return choice.value;
    names.emplace_back(choice.name);
  }
  expected(one_of(names));
}

}  // namespace hunch
