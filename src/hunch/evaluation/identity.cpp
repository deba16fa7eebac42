#include "hunch/evaluation/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace hunch {

std::optional<std::string> first_difference(const Identity& stored, const Identity& wanted) {
  const std::size_t shared = std::min(stored.size(), wanted.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (stored[i].name != wanted[i].name)
      return fmt::format("entry {}: the store has \"{}\", this run has \"{}\"", i + 1, stored[i].name,
                         wanted[i].name);
    if (stored[i].value != wanted[i].value)
      return fmt::format("{}: the store has \"{}\", this run has \"{}\"", stored[i].name, stored[i].value,
                         wanted[i].value);
  }
  if (stored.size() > shared)
    return fmt::format("{}: the store has \"{}\", this run has none", stored[shared].name,
                       stored[shared].value);
  if (wanted.size() > shared)
    return fmt::format("{}: the store has none, this run has \"{}\"", wanted[shared].name,
                       wanted[shared].value);
  return std::nullopt;
}

Identity identity_of_likelihood(const Identity& identity) {
  Identity kept;
  std::copy_if(identity.begin(), identity.end(), std::back_inserter(kept),
               [](const IdentityEntry& entry) { return !entry.name.starts_with("prior"); });
  return kept;
}

}  // namespace hunch
