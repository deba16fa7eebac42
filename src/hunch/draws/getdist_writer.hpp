// GetDistWriter: draws as GetDist's chains, where a draw that was repeated is one row with a weight.
#pragma once

#include <filesystem>

#include "hunch/draws/export.hpp"
#include "hunch/draws/whole_files.hpp"

namespace hunch {

// root_1.txt, root_2.txt, ..: one per chain, rows `weight -log_posterior parameters..`; consecutive equal
// draws become one row with an integer weight. root.paramnames: name and label. root.ranges: name, lower,
// upper, N where there is no limit. Names by stan_names. Throws InputError, with the path and the reason.
void write_getdist(const Export& result, const std::filesystem::path& root, Overwrite overwrite);

}  // namespace hunch
