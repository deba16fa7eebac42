// RunDirectory: where a run lives: its config as given and as understood, and the store of what it paid for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hunch/config/config.hpp"

namespace hunch {

// What a run was asked for: a config file, and what the command line said against it.
struct Request {
  std::string text;                    // of the file, as given
  Config config;                       // as understood, with the command line's word
  std::filesystem::path base;          // where the config's relative paths are seen from
  std::vector<std::string> overrides;  // "--seed 7"; none if the file is all there is
};

class RunDirectory {
 public:
  // Makes the directory with the config's text and the resolved config. With overrides config.toml is the
  // config in full, with them, and given.toml the file. InputError if it holds a run already, or cannot be
  // made.
  static RunDirectory create(const std::filesystem::path& folder, const Request& request);
  static RunDirectory create(const std::filesystem::path& folder, const std::string& config_text,
                             const Config& config, const std::filesystem::path& base);
  // An existing run. InputError if it is none, or if its config.toml was edited so that draws would change:
  // the first difference is named. Harmless edits (budget, timeout, comments ...) are taken over.
  static RunDirectory open(const std::filesystem::path& folder);
  // The same for a run that is asked for anew: the first difference that would change draws is refused, the
  // others are taken over from the request.
  static RunDirectory open(const std::filesystem::path& folder, const Request& request);

  static bool holds_run(const std::filesystem::path& folder);
  // Renames a run's directory to its name with .old-1, or the next number that is free, and says to what.
  // StoreInUse if it is in progress.
  static std::filesystem::path move_aside(const std::filesystem::path& folder);

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
