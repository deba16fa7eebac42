#include "hunch/run/run_directory.hpp"

#include <system_error>
#include <utility>

#include "hunch/config/differences.hpp"
#include "hunch/config/resolved.hpp"
#include "hunch/draws/whole_files.hpp"
#include "hunch/run/text_file.hpp"

namespace hunch {

namespace {

const char* const not_a_run = "is this the directory of a run?";

}  // namespace

RunDirectory::RunDirectory(std::filesystem::path folder, Config config, std::filesystem::path base)
    : folder_(std::move(folder)), config_(std::move(config)), base_(std::move(base)) {}

RunDirectory RunDirectory::create(const std::filesystem::path& folder, const std::string& config_text,
                                  const Config& config, const std::filesystem::path& base) {
  std::error_code trouble;
  if (std::filesystem::exists(folder / "resolved.toml", trouble))
    throw InputError(folder.string() + " holds a run already: go on with `hunch resume " + folder.string() +
                     "`, or choose another directory with --out");
  std::filesystem::create_directories(folder, trouble);
  if (trouble) throw InputError("cannot make the directory " + folder.string() + ": " + trouble.message());
  // All three appear together or not at all; a run exists from then on.
  WholeFiles files(Overwrite::yes);
  files.write(folder / "config.toml", config_text);
  files.write(folder / "origin", base.string() + "\n");
  files.write(folder / "resolved.toml", to_toml(config));
  files.publish();
  return {folder, config, base};
}

RunDirectory RunDirectory::open(const std::filesystem::path& folder) {
  const Config begun =
      parse_config(text_of(folder / "resolved.toml", not_a_run), (folder / "resolved.toml").string());
  const Config now =
      parse_config(text_of(folder / "config.toml", not_a_run), (folder / "config.toml").string());
  if (const auto difference = first_difference(begun, now))
    throw InputError((folder / "config.toml").string() + " was changed so that the draws would change: " +
                     *difference + "; change it back, or start a new run with --reuse " + folder.string());
  std::string base = text_of(folder / "origin", not_a_run);
  while (!base.empty() && base.back() == '\n') base.pop_back();
  return {folder, now, base};
}

}  // namespace hunch
