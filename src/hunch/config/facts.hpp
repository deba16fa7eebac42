// Facts: what a config says, key by key, as far as it can change a draw.
#pragma once

#include <string>
#include <vector>

#include "hunch/config/config.hpp"

namespace hunch {

enum class Bearing {
  likelihood,  // another value is another likelihood
  draws,       // another value gives other draws from the same evaluations
};

struct Fact {
  std::string key;    // "parameters.beta.prior"
  std::string value;  // equal texts mean the same thing: numbers bit for bit, priors however they were spaced
  std::string shown;  // the value as the user wrote it
  Bearing bearing;
};

// In an order such that the facts of two configs have the same keys up to their first difference.
// Not among them, because no draw depends on them: timeout, attempts, on_failure, the urls, the budget.
std::vector<Fact> facts(const Config& config);

}  // namespace hunch
