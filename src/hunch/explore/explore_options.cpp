#include "hunch/explore/explore_options.hpp"

#include <charconv>
#include <string>
#include <vector>

namespace hunch {

void set_number(ExploreOptions& options, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string name = assignment.substr(0, equals);
  std::string known;
  bool set = false;
  visit_numbers(options, [&](const char* its_name, auto& member) {
    known += (known.empty() ? "" : ", ") + std::string(its_name);
    if (name != its_name || equals == std::string::npos) return;
    const char* end = assignment.data() + assignment.size();
    const auto read = std::from_chars(assignment.data() + equals + 1, end, member);
    set = read.ec == std::errc() && read.ptr == end;
  });
  if (!set)
    throw InputError("numbers: got '" + assignment + "', expected NAME=VALUE with a name out of " + known);
}

bool differ(const ExploreOptions& a, const ExploreOptions& b) {
  const auto numbers = [](const ExploreOptions& options) {
    std::vector<double> all;
    visit_numbers(options, [&](const char*, auto number) { all.push_back(static_cast<double>(number)); });
    return all;
  };
  return numbers(a) != numbers(b);
}

}  // namespace hunch
