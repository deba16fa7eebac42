// Identity: what a store belongs to, as named texts, and where two of them first differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hunch {

struct IdentityEntry {
  std::string name;
  std::string value;

  friend bool operator==(const IdentityEntry&, const IdentityEntry&) = default;
};

// Parameter names in order, the model, its data ...: the order of entries matters.
using Identity = std::vector<IdentityEntry>;

// In words, for the user; nothing if they are equal.
std::optional<std::string> first_difference(const Identity& stored, const Identity& wanted);

// Without the entries whose name begins with "prior": evaluations do not depend on those.
Identity identity_of_likelihood(const Identity& identity);

}  // namespace hunch
