#include "hunch/config/suggestion.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace hunch {
namespace {

// Case and the kind of dash do not make words different.
std::string plain(std::string_view word) {
  std::string result(word.substr(0, 64));
  for (char& c : result) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return result;
}

// Letters added, left out, replaced, or swapped with their neighbour, each counted once.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({replaced, table[i - 1][j] + 1, table[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

bool one_begins_the_other(std::string_view a, std::string_view b) {
  return std::min(a.size(), b.size()) >= 3 && (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> known) {
  const std::string given = plain(word);
  std::optional<std::string_view> best;
  std::size_t smallest = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::string other = plain(candidate);
    const std::size_t distance = one_begins_the_other(given, other) ? 1 : edit_distance(given, other);
    if (distance >= smallest || distance >= other.size()) continue;
    smallest = distance;
    best = candidate;
  }
  return best;
}

}  // namespace hunch
