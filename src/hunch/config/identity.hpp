// Identity: which likelihood a config means, so that evaluations of another one are never taken for its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hunch/config/config.hpp"

namespace hunch {

// Names and values that tell one likelihood from another, in a fixed order: parameters, what the model is,
// data and noise. Priors and the sampler's settings are not among them: evaluations serve any of those.
// Give it the config as written, not resolved: then the run may move. For a `problem` that brings its own
// parameters, fill them in first.
std::vector<std::pair<std::string, std::string>> likelihood_identity(const Config& config);

// Files whose content belongs to the identity too: the data files, the template, the library. Whoever may
// read a disk adds digests of them to the above.
std::vector<std::string> identity_files(const Config& config);

}  // namespace hunch
