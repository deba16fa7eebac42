#include "hunch/config/differences.hpp"

#include <algorithm>

#include "hunch/config/facts.hpp"
#include "hunch/config/quoting.hpp"

namespace hunch {

std::optional<std::string> first_difference(const Config& stored, const Config& now) {
  const std::vector<Fact> before = facts(stored);
  const std::vector<Fact> after = facts(now);
  // Keys agree up to the first difference in value, so neither list ends before it.
  const auto [was, is] = std::mismatch(before.begin(), before.end(), after.begin(), after.end(),
                                       [](const Fact& a, const Fact& b) { return a.value == b.value; });
  if (was == before.end()) return std::nullopt;
  constexpr std::size_t longest_shown = 200;
  return one_line(was->key + ": the run has " + shortened(was->shown, longest_shown) +
                  ", the config now says " + shortened(is->shown, longest_shown));
}

}  // namespace hunch
