// PeerRows: what other programs drew from the study's targets, as rows of the study.
#pragma once

#include <filesystem>
#include <vector>

#include "hunch/study/efficiency.hpp"

namespace hunch::cli {

// Reads the JSON that scripts/study-efficiency makes: {"runs": [{"target", "method", "replicate",
// "evaluations", "seconds", "chains", "length", "positions"}, ...]}, where `positions` names a file beside it
// of doubles in this machine's order: chain after chain, draw after draw, parameter after parameter. The
// draws are judged as ours are. Throws InputError that says what does not fit.
std::vector<EfficiencyRow> peer_rows(const std::filesystem::path& path);

}  // namespace hunch::cli
