// NetcdfWriter: draws as netCDF-4 in ArviZ's InferenceData layout, which xarray opens as it is.
#pragma once

#include <filesystem>

#include "hunch/draws/export.hpp"
#include "hunch/draws/whole_files.hpp"

namespace hunch {

// Groups posterior and warmup_posterior (a variable per parameter), sample_stats (lp, and where recorded
// accepted, evaluated, stage1_accept_prob), all over (chain, draw), both counted from 0; and evaluations:
// theta (evaluation, parameter), log_likelihood, outcome. Names by netcdf_names; long_name is the parameter's
// own. One call at a time: the netCDF library is not safe for threads. Throws InputError, with the path and
// the reason.
void write_netcdf(const Export& result, const std::filesystem::path& file, Overwrite overwrite);

}  // namespace hunch
