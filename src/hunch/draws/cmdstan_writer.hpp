// CmdStanWriter: draws as CmdStan's CSV files, which every tool around Stan reads.
#pragma once

#include <filesystem>

#include "hunch/draws/export.hpp"
#include "hunch/draws/whole_files.hpp"

namespace hunch {

// folder/chain_1.csv, chain_2.csv, ..; the folder is made if it is not there. Names by stan_names.
// Readers expect Hamiltonian sampling and get its columns: accept_stat__ is 1 for an accepted step and 0 for
// another (NaN: not recorded), n_leapfrog__ the evaluations of the step, energy__ is -lp__, stepsize__ 1, and
// the inverse mass matrix is the proposal's covariance (NaN: not recorded). Our own columns, where recorded:
// stage1_accept_prob__, evaluated__. Burn-in is not written. Throws InputError, with the path and the reason.
void write_cmdstan(const Export& result, const std::filesystem::path& folder, Overwrite overwrite);

}  // namespace hunch
