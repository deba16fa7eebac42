#include "hunch/draws/named_array.hpp"

#include <algorithm>
#include <string_view>

namespace hunch {

namespace {

struct Element {
  std::string base;
  Indices indices;
};

// An index is a number written the one way it is; six digits are enough to count parameters with.
std::optional<std::size_t> index_from(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (text.empty() || text.size() > 6 || (text.front() == '0' && text != "0")) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return std::stoul(std::string(text));
}

std::optional<Element> bracketed(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (!name.ends_with(']') || open == std::string_view::npos || open == 0) return std::nullopt;
  Element element{std::string(name.substr(0, open)), {}};
  std::string_view inside = name.substr(open + 1, name.size() - open - 2);
  while (true) {
    const std::size_t comma = inside.find(',');
    const std::optional<std::size_t> index = index_from(inside.substr(0, comma));
    if (!index) return std::nullopt;
    element.indices.push_back(*index);
    if (comma == std::string_view::npos) return element;
    inside.remove_prefix(comma + 1);
  }
}

std::optional<Element> dotted(std::string_view name) {
  Indices indices;
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0; dot = name.rfind('.')) {
    const std::optional<std::size_t> index = index_from(name.substr(dot + 1));
    if (!index || name[dot + 1] == ' ') break;
    indices.insert(indices.begin(), *index);
    name = name.substr(0, dot);
  }
  if (indices.empty()) return std::nullopt;
  return Element{std::string(name), indices};
}

std::optional<Element> element_of(std::string_view name) {
  const std::optional<Element> element = bracketed(name);
  return element ? element : dotted(name);
}

// Whether these are all indices of an array, from 1, the first running fastest.
bool is_complete(const std::vector<Indices>& indices) {
  Indices size = indices.back(), expected(size.size(), 1);
  std::size_t cells = 1;
  for (std::size_t n : size) {
    if (n > indices.size()) return false;
    cells *= n;
    if (cells > indices.size()) return false;
  }
  if (cells != indices.size()) return false;
  for (const Indices& cell : indices) {
    if (cell != expected) return false;
    for (std::size_t d = 0; d < size.size() && ++expected[d] > size[d]; ++d) expected[d] = 1;
  }
  return true;
}

}  // namespace

std::optional<NamedArray> array_at(const std::vector<std::string>& names, std::size_t first) {
  const std::optional<Element> start = element_of(names[first]);
  if (!start) return std::nullopt;
  NamedArray array{start->base, {}};
  std::size_t elsewhere = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<Element> element = element_of(names[i]);
    if (!element || element->base != start->base) continue;
    if (i == first + array.cells.size())
      array.cells.push_back(element->indices);
    else
      ++elsewhere;
  }
  if (elsewhere > 0 || !is_complete(array.cells)) return std::nullopt;
  return array;
}

}  // namespace hunch
