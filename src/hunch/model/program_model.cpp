#include "hunch/model/program_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hunch/model/process_table.hpp"
#include "hunch/model/program.hpp"

namespace hunch {

namespace fs = std::filesystem;

namespace {

bool can_run(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

fs::path find_program(const std::string& name, const fs::path& base) {
  std::error_code error;
  if (name.find('/') != std::string::npos) {
    const fs::path path = (base / name).lexically_normal();
    if (!fs::exists(path, error)) throw InputError(fmt::format("command: there is no \"{}\"", path.string()));
    if (!can_run(path)) throw InputError(fmt::format("command: \"{}\" is not executable", path.string()));
    return path;
  }
  const char* search = std::getenv("PATH");
  std::istringstream folders(search ? search : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && can_run(base / folder / name)) return base / folder / name;
  throw InputError(fmt::format("command: \"{}\" was not found in PATH", name));
}

// An argument that names a file from where the user stands must name it from where the program runs.
std::string resolved(const std::string& argument, const fs::path& base) {
  std::error_code error;
  const bool names_file = !argument.empty() && fs::is_regular_file(base / argument, error);
  return names_file ? (base / argument).lexically_normal().string() : argument;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& additions) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  for (const auto& [name, value] : additions) {
    if (name.empty() || name.find('=') != std::string::npos)
      throw InputError(fmt::format("environment: \"{}\" cannot be the name of a variable", name));
    std::erase_if(all, [&](const std::string& entry) { return entry.starts_with(name + "="); });
    all.push_back(name + "=" + value);
  }
  return all;
}

std::string json_key(const std::string& name) {
  try {
    return nlohmann::json(name).dump();
  } catch (const nlohmann::json::exception&) {
    throw InputError("parameters: a name is not valid UTF-8");
  }
}

void check_inside(const std::string& what, const fs::path& file) {
  const auto plain = file.lexically_normal();
  if (plain.empty() || !plain.has_filename() || plain.is_absolute() || *plain.begin() == ".." || plain == ".")
    throw InputError(fmt::format("{}: \"{}\" does not name a file inside the directory of an evaluation",
                                 what, file.string()));
}

void check_placeholders(const std::string& where, const std::string& text, const ProgramSettings& settings) {
  const auto& names = settings.parameter_names;
  fill_placeholders(text, [&](std::string_view name) -> std::string {
    if (settings.style == ProgramSettings::Style::worker)
      throw InputError(
          fmt::format("{}: {{{{{}}}}} needs a program that is started once per evaluation", where, name));
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError(fmt::format("{}: {{{{{}}}}} is not a parameter; the parameters are {}", where, name,
                                   fmt::join(names, ", ")));
    return "";
  });
}

void check(const ProgramSettings& settings) {
  using Style = ProgramSettings::Style;
  if (settings.command.empty()) throw InputError("command: it is empty");
  if (settings.parameter_names.empty()) throw InputError("parameters: there are none");
  if (!(settings.timeout_seconds > 0))
    throw InputError(fmt::format("timeout: got {} s, expected more than 0", settings.timeout_seconds));
  if (settings.instances < 1 || settings.instances > 1024)
    throw InputError(fmt::format("instances: got {}, expected 1..1024", settings.instances));
  for (const auto& argument : settings.command) {
    if (argument.find('\0') != std::string::npos)
      throw InputError("command: an argument has a zero byte in it");
    check_placeholders("command", argument, settings);
  }
  if (settings.style == Style::worker && settings.input)
    throw InputError("input: an input file needs a program that is started once per evaluation");
  if (settings.style == Style::worker && settings.result_file)
    throw InputError("result: a result file needs a program that is started once per evaluation");
  if (settings.result_file) check_inside("result", *settings.result_file);
  if (!settings.input) return;
  check_inside("input", settings.input->file_name);
  check_placeholders(fmt::format("input \"{}\"", settings.input->file_name), settings.input->text, settings);
}

void settle_directories(ProgramSettings& settings) {
  std::error_code error;
  settings.base = fs::absolute(settings.base.empty() ? fs::current_path() : settings.base);
  if (settings.directory.empty())
    settings.directory =
        settings.style == ProgramSettings::Style::once ? fs::temp_directory_path() : settings.base;
  settings.directory = settings.base / settings.directory;
  fs::create_directories(settings.directory, error);
  if (access(settings.directory.c_str(), W_OK | X_OK) != 0 && settings.style == ProgramSettings::Style::once)
    throw InputError(fmt::format("directory: \"{}\" cannot be written to", settings.directory.string()));
  if (!fs::is_directory(settings.directory, error))
    throw InputError(fmt::format("directory: \"{}\" is not a directory", settings.directory.string()));
}

}  // namespace

std::unique_ptr<Model> open_program(ProgramSettings settings) {
  check(settings);
  settle_directories(settings);
  Program program;
  program.launch.executable = find_program(settings.command.front(), settings.base);
  program.keeper = std::make_unique<Keeper>();
  program.launch.environment = environment_with(settings.environment);
  put_mark(program.launch.environment, program.keeper->mark());
  program.launch.directory = settings.directory;
  for (const auto& argument : settings.command)
    program.launch.arguments.push_back(resolved(argument, settings.base));
  if (settings.command.front().find('/') == std::string::npos)
    program.launch.arguments.front() = settings.command.front();
  if (settings.result_file) program.launch.output = Launch::Output::noise;
  for (const auto& name : settings.parameter_names) program.keys.push_back(json_key(name));
  program.settings = std::move(settings);
  return program.settings.style == ProgramSettings::Style::worker ? make_worker(std::move(program))
                                                                  : make_once(std::move(program));
}

}  // namespace hunch
