#include "hunch/run/run_directory.hpp"

#include <system_error>
#include <utility>

#include "hunch/config/differences.hpp"
#include "hunch/config/resolved.hpp"
#include "hunch/draws/whole_files.hpp"
#include "hunch/evaluation/file_lock.hpp"
#include "hunch/run/text_file.hpp"

namespace hunch {

namespace {

const char* const not_a_run = "is this the directory of a run?";

// What the user edits: the file as given, or, with overrides, the whole config and why it is not that file.
std::string editable_text(const Request& request) {
  if (request.overrides.empty()) return request.text;
  std::string words;
  for (const std::string& one : request.overrides) words += (words.empty() ? "" : " ") + one;
  return "# The config that was given is in given.toml; here it is in full, with " + words + "\n\n" +
         to_toml(request.config);
}

std::string base_of(const std::filesystem::path& folder) {
  std::string base = text_of(folder / "origin", not_a_run);
  while (!base.empty() && base.back() == '\n') base.pop_back();
  return base;
}

Config config_in(const std::filesystem::path& file) {
  return parse_config(text_of(file, not_a_run), file.string());
}

}  // namespace

RunDirectory::RunDirectory(std::filesystem::path folder, Config config, std::filesystem::path base)
    : folder_(std::move(folder)), config_(std::move(config)), base_(std::move(base)) {}

bool RunDirectory::holds_run(const std::filesystem::path& folder) {
  std::error_code trouble;
  return std::filesystem::exists(folder / "resolved.toml", trouble);
}

RunDirectory RunDirectory::create(const std::filesystem::path& folder, const std::string& config_text,
                                  const Config& config, const std::filesystem::path& base) {
  return create(folder, Request{config_text, config, base, {}});
}

RunDirectory RunDirectory::create(const std::filesystem::path& folder, const Request& request) {
  if (holds_run(folder))
    throw InputError(folder.string() + " holds a run already: go on with `hunch resume " + folder.string() +
                     "`, choose another directory with --out, or move it aside with --force");
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  if (trouble) throw InputError("cannot make the directory " + folder.string() + ": " + trouble.message());
  // All appear together or not at all; a run exists from then on.
  WholeFiles files(Overwrite::yes);
  files.write(folder / "config.toml", editable_text(request));
  if (!request.overrides.empty()) files.write(folder / "given.toml", request.text);
  files.write(folder / "origin", request.base.string() + "\n");
  files.write(folder / "resolved.toml", to_toml(request.config));
  files.publish();
  return {folder, request.config, request.base};
}

RunDirectory RunDirectory::open(const std::filesystem::path& folder) {
  const Config begun = config_in(folder / "resolved.toml");
  const Config now = config_in(folder / "config.toml");
  if (const auto difference = first_difference(begun, now))
    throw InputError((folder / "config.toml").string() + " was changed so that the draws would change: " +
                     *difference + "; change it back, or start a new run with --reuse " + folder.string());
  return {folder, now, base_of(folder)};
}

RunDirectory RunDirectory::open(const std::filesystem::path& folder, const Request& request) {
  if (const auto difference = first_difference(config_in(folder / "resolved.toml"), request.config))
    throw InputError(folder.string() + " holds a run that would have other draws: " + *difference +
                     "; choose another directory with --out and take its evaluations over with --reuse " +
                     folder.string());
  return {folder, request.config, base_of(folder)};
}

std::filesystem::path RunDirectory::move_aside(const std::filesystem::path& folder) {
  std::filesystem::path here = std::filesystem::absolute(folder).lexically_normal();
  if (!here.has_filename()) here = here.parent_path();
  const std::filesystem::path store = here / "evaluations.sqlite";
  const FileLock nobody_runs_it(store.string() + ".lock", store);
  std::filesystem::path aside;
  int number = 0;
  do aside = here.string() + ".old-" + std::to_string(++number);
  while (std::filesystem::exists(std::filesystem::symlink_status(aside)));
  std::error_code trouble;
  std::filesystem::rename(here, aside, trouble);
  if (trouble)
    throw InputError("cannot move " + here.string() + " to " + aside.string() + ": " + trouble.message());
  return aside.lexically_proximate(std::filesystem::current_path());
}

}  // namespace hunch
