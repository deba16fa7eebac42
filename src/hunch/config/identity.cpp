#include "hunch/config/identity.hpp"

#include "hunch/config/facts.hpp"

namespace hunch {

std::vector<std::pair<std::string, std::string>> likelihood_identity(const Config& config) {
  std::vector<std::pair<std::string, std::string>> identity;
  for (const Fact& fact : facts(config))
    if (fact.bearing == Bearing::likelihood) identity.emplace_back(fact.key, fact.value);
  return identity;
}

std::vector<std::string> identity_files(const Config& config) {
  std::vector<std::string> files = config.model.data_files;
  if (const auto* program = std::get_if<ProgramConfig>(&config.model.door))
    if (program->template_file) files.push_back(*program->template_file);
  if (const auto* library = std::get_if<LibraryConfig>(&config.model.door)) files.push_back(library->path);
  return files;
}

}  // namespace hunch
