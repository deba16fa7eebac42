// ParameterNames: what parameters are called in a file whose readers do not take every name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hunch {

// For CmdStan CSV and GetDist: what Stan and R take as a name, unique.
// - theta[1], theta[2], .. (or theta.1, ..), in order, complete from 1 and side by side, are an array:
//   theta.1, theta.2, ..; of several dimensions, the first index running fastest. Others are plain names.
// - In a plain name Greek letters are spelled out, any other run of characters but A-Z a-z 0-9 _ becomes one
//   underscore, and underscores at the ends go (Stan keeps a final __ for itself).
// - A name without a letter first gets p_ before it, an empty one is p, a word of R's grammar gets _ after
// it.
// - A name that is then taken already gets _2, _3, ..
std::vector<std::string> stan_names(const std::vector<std::string>& names);

// For netCDF: the names themselves where netCDF takes them, unique, and never those of the dimensions.
// Control characters, slashes and bytes that are not UTF-8 become _, as does each blank at the end; a first
// character that is punctuation gets _ before it; beyond 200 bytes a name is cut. Taken names: as above.
std::vector<std::string> netcdf_names(const std::vector<std::string>& names,
                                      const std::vector<std::string>& dimensions);

// For CSV: the names themselves, made unique as above, and never one of the fixed columns.
std::vector<std::string> csv_names(const std::vector<std::string>& names,
                                   const std::vector<std::string>& fixed_columns);

// The text with each byte that is not part of valid UTF-8, and each NUL, replaced by a question mark.
std::string valid_utf8(std::string_view text);

}  // namespace hunch
