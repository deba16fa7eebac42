// NamedArray: parameters whose names say that together they are one array.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hunch {

using Indices = std::vector<std::size_t>;

struct NamedArray {
  std::string base;
  std::vector<Indices> cells;  // from 1, the first index running fastest
};

// The array that starts at names[first], if there is one: base[1], base[2], .. or base.1, base.2, ..;
// complete, in order, side by side, with no other element of that base among the names.
std::optional<NamedArray> array_at(const std::vector<std::string>& names, std::size_t first);

}  // namespace hunch
