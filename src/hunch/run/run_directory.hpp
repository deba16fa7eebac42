// RunDirectory: where a run lives: its config as given and as understood, and the store of what it paid for.
#pragma once

#include <filesystem>
#include <string>

#include "hunch/config/config.hpp"

namespace hunch {

class RunDirectory {
 public:
  // Makes the directory with the config's text and the resolved config. `base`: where the config's relative
  // paths are seen from. InputError if it holds a run already, or cannot be made.
  static RunDirectory create(const std::filesystem::path& folder, const std::string& config_text,
                             const Config& config, const std::filesystem::path& base);
  // An existing run. InputError if it is none, or if its config.toml was edited so that draws would change:
  // the first difference is named. Harmless edits (budget, timeout, comments ...) are taken over.
  static RunDirectory open(const std::filesystem::path& folder);

  const Config& config() const { return config_; }
  const std::filesystem::path& base() const { return base_; }
  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path store() const { return folder_ / "evaluations.sqlite"; }

 private:
  RunDirectory(std::filesystem::path folder, Config config, std::filesystem::path base);

  std::filesystem::path folder_;
  Config config_;
  std::filesystem::path base_;
};

}  // namespace hunch
