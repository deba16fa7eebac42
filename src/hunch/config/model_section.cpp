#include <algorithm>
#include <filesystem>

#include "hunch/config/choices.hpp"
#include "hunch/config/sections.hpp"

namespace hunch {
namespace {

constexpr std::array<std::string_view, 5> door_keys{"command", "url", "library", "problem", "function"};
constexpr std::array<std::string_view, 21> model_keys{
    "command",     "url",     "library",  "problem",      "style",      "template", "input_file",
    "result_file", "name",    "gives",    "output_index", "data",       "noise_sd", "config",
    "gradient",    "timeout", "attempts", "on_failure",   "data_files", "function", "version"};

constexpr std::array<std::string_view, 4> program_keys{"style", "template", "input_file", "result_file"};
constexpr std::array<std::string_view, 1> function_keys{"version"};
constexpr std::array<std::string_view, 6> server_keys{"name", "gives",    "output_index",
                                                      "data", "noise_sd", "config"};

// A function is not offered: only a program that has it can write such a config.
std::string door_choices() {
  return one_of({door_keys.begin(), door_keys.end() - 1});
}

// The one key that says what the model is.
Field door_of(const Field& model) {
  std::vector<Field> found;
  for (const Field& field : model.members())
    if (std::find(door_keys.begin(), door_keys.end(), field.key()) != door_keys.end()) found.push_back(field);
  if (found.empty()) model.refuse("missing what the model is, expected one of " + door_choices());
  if (found.size() == 1) return found[0];
  std::string names = found[0].key();
  for (std::size_t i = 1; i < found.size(); ++i) names += " and " + found[i].key();
  found[1].refuse("got " + names + ", expected only one of " + door_choices());
}

void refuse_keys(const Field& model, std::span<const std::string_view> keys, const std::string& reason) {
  for (const Field& field : model.members())
    if (std::find(keys.begin(), keys.end(), field.key()) != keys.end())
      field.refuse("got " + field.given() + ", expected no such key " + reason);
}

std::vector<Field> some_items(const Field& field, const std::string& meaning) {
  if (!field.is_array()) field.expected(meaning);
  std::vector<Field> items = field.items();
  if (items.empty()) field.expected(meaning);
  return items;
}

// An argument may be empty, the program may not.
std::vector<std::string> read_command(const Field& field) {
  std::vector<std::string> words;
  for (const Field& item : some_items(field, "an array of texts, such as [\"python3\", \"simulator.py\"]"))
    words.push_back(!words.empty() && item.is_text("") ? "" : item.text("a text"));
  return words;
}

// A file of the work directory: no path can lead out of it.
std::string read_inner_file(const Field& field) {
  const std::string meaning = "the name of a file in the work directory";
  const std::string text = field.text(meaning);
  const std::filesystem::path path(text);
  const bool leaves = std::find(path.begin(), path.end(), "..") != path.end();
  if (path.is_absolute() || leaves || !path.has_filename() || path.filename() == ".") field.expected(meaning);
  return text;
}

ProgramConfig read_program(const Field& model, const Field& command) {
  refuse_keys(model, server_keys, "with command; it goes with url");
  ProgramConfig program{.command = read_command(command)};
  if (const auto field = model.find("style")) program.style = field->choice<ProgramConfig::Style>();
  if (program.style == ProgramConfig::Style::worker) {
    constexpr std::array<std::string_view, 3> once_keys{"template", "input_file", "result_file"};
    refuse_keys(model, once_keys, "with style = \"worker\"; it goes with style = \"once\"");
    return program;
  }
  if (const auto field = model.find("template")) {
    program.template_file = field->text("a path");
    program.input_file = std::filesystem::path(*program.template_file).filename().string();
    if (program.input_file->empty()) field->expected("the path of a file");
  }
  if (const auto field = model.find("input_file")) {
    if (!program.template_file) field->refuse("got " + field->given() + ", expected template beside it");
    program.input_file = read_inner_file(*field);
  }
  if (const auto field = model.find("result_file")) program.result_file = read_inner_file(*field);
  return program;
}

std::string read_url(const Field& field) {
  const std::string meaning = "a URL such as \"http://localhost:4242\"";
  std::string url = field.text(meaning);
  constexpr std::string_view scheme = "http://";
  const bool clean = std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f; });
  const bool has_host = url.size() > scheme.size() && url[scheme.size()] != '/';
  if (!url.starts_with(scheme) || !clean || !has_host) field.expected(meaning);
  return url;
}

std::vector<std::string> read_urls(const Field& field) {
  if (!field.is_array()) return {read_url(field)};
  std::vector<std::string> urls;
  for (const Field& item : some_items(field, "a URL or an array of URLs")) urls.push_back(read_url(item));
  return urls;
}

// `forward` is compared with data under Gaussian noise; the others are densities already.
void read_noise_model(const Field& model, ServerConfig& server) {
  if (server.gives != ServerConfig::Gives::forward) {
    constexpr std::array<std::string_view, 2> keys{"data", "noise_sd"};
    refuse_keys(model, keys,
                "with gives = \"" + name_of(server.gives) + "\"; it goes with gives = \"forward\"");
    return;
  }
  const Field data = model.need("data", "an array of numbers, because gives = \"forward\"");
  for (const Field& item : some_items(data, "an array of numbers")) server.data.push_back(item.number());
  const Field noise = model.need("noise_sd", "a number or an array of numbers, because gives = \"forward\"");
  if (!noise.is_array()) {
    server.noise_sd = {noise.positive_number()};
    return;
  }
  for (const Field& item : noise.items()) server.noise_sd.push_back(item.positive_number());
  if (server.noise_sd.size() != server.data.size())
    noise.refuse("got " + std::to_string(server.noise_sd.size()) + " numbers, expected one number or " +
                 std::to_string(server.data.size()) + ", as many as data");
}

ServerConfig read_server(const Field& model, const Field& url) {
  refuse_keys(model, program_keys, "with url; it goes with command");
  ServerConfig server{.urls = read_urls(url)};
  if (const auto field = model.find("gives")) server.gives = field->choice<ServerConfig::Gives>();
  if (server.gives == ServerConfig::Gives::forward) {
    server.name = "forward";
    constexpr std::array<std::string_view, 1> density_keys{"output_index"};
    refuse_keys(model, density_keys, "with gives = \"forward\"; it goes with a log density");
  }
  if (const auto field = model.find("name")) server.name = field->text("the name of a model on the server");
  if (const auto field = model.find("output_index")) server.output_index = field->whole({0, 1'000'000});
  read_noise_model(model, server);
  if (const auto field = model.find("config")) server.config = field->json_object();
  return server;
}

FunctionConfig read_function(const Field& model, const Field& name) {
  FunctionConfig function{name.text("the name of a function")};
  if (const auto field = model.find("version")) function.version = field->text("the version of the function");
  return function;
}

DoorConfig read_door(const Field& model) {
  const Field door = door_of(model);
  if (door.key() != "function")
    refuse_keys(model, function_keys, "with " + door.key() + "; it goes with function");
  if (door.key() == "command") return read_program(model, door);
  if (door.key() == "url") return read_server(model, door);
  refuse_keys(model, program_keys, "with " + door.key() + "; it goes with command");
  refuse_keys(model, server_keys, "with " + door.key() + "; it goes with url");
  if (door.key() == "library") return LibraryConfig{door.text("the path of a shared library")};
  if (door.key() == "problem") return ProblemConfig{door.text("the name of a problem")};
  return read_function(model, door);
}

}  // namespace

ModelConfig read_model(const Field& table) {
  table.allow_keys(model_keys);
  ModelConfig model{.door = read_door(table)};
  model.gradient = std::holds_alternative<ProblemConfig>(model.door);
  if (const auto field = table.find("gradient")) model.gradient = field->flag();
  if (const auto field = table.find("timeout")) model.timeout_seconds = field->seconds();
  if (const auto field = table.find("attempts")) model.attempts = field->whole({1, 100});
  if (const auto field = table.find("on_failure")) model.on_failure = field->choice<ModelConfig::OnFailure>();
  if (const auto field = table.find("data_files")) {
    if (!field->is_array()) field->expected("an array of paths");
    for (const Field& item : field->items()) model.data_files.push_back(item.text("a path"));
  }
  return model;
}

}  // namespace hunch
