// WholeFiles: files that appear whole under their names, together, or not at all.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hunch {

enum class Overwrite { no, yes };

// Text arrives under a temporary name beside its target and reaches the disk before it is renamed.
// Errors say the path and the reason: InputError for a path that cannot be written, std::runtime_error for a
// disk that is full or broken. Until publish() returns, an earlier file of the same name is untouched; what
// was not published is gone when this object is.
class WholeFiles {
 public:
  explicit WholeFiles(Overwrite overwrite) : overwrite_(overwrite) {}
  ~WholeFiles();
  WholeFiles(const WholeFiles&) = delete;
  WholeFiles& operator=(const WholeFiles&) = delete;

  // Makes the folder if it is not there; its parent must be.
  void make_folder(const std::filesystem::path& folder);

  // The numbered files of a set, prefix + number + suffix: those of an earlier set that this one does not
  // replace are removed, so that no reader mixes two runs. Refuses if there are any and Overwrite is no.
  void claim_numbered(const std::filesystem::path& folder, std::string_view prefix, std::string_view suffix);

  // The temporary file, empty, for a writer of its own. Refuses a target that exists if Overwrite is no.
  // Temporary files of the same target whose writers were killed are removed.
  std::filesystem::path stage(const std::filesystem::path& target);

  void write(const std::filesystem::path& target, std::string_view text);

  void publish();

 private:
  struct Staged {
    std::filesystem::path temporary;
    std::filesystem::path target;
  };

  Overwrite overwrite_;
  std::vector<Staged> staged_;
  std::set<std::filesystem::path> earlier_;
  std::vector<std::filesystem::path> made_folders_;
};

// Removes what writers that were killed have left in the folder: temporary files whose process is gone.
void remove_abandoned(const std::filesystem::path& folder);

}  // namespace hunch
