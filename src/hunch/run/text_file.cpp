#include "hunch/run/text_file.hpp"

#include <fstream>
#include <iterator>

#include "hunch/core/types.hpp"

namespace hunch {

std::string text_of(const std::filesystem::path& file, const std::string& hint) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError("cannot read " + file.string() + (hint.empty() ? "" : "; " + hint));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace hunch
