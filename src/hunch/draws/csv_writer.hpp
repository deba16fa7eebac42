// CsvWriter: draws as one plain table, for whoever has no reader but a spreadsheet's.
#pragma once

#include <filesystem>

#include "hunch/draws/export.hpp"
#include "hunch/draws/whole_files.hpp"

namespace hunch {

// Columns chain, draw (both from 1), the parameters, lp. Quoted as RFC 4180 says, lines end in a line feed.
// Names are the parameters' own (csv_names). Throws InputError, with the path and the reason.
void write_csv(const Export& result, const std::filesystem::path& file, Overwrite overwrite);

}  // namespace hunch
