#include "hunch/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "hunch/config/choices.hpp"
#include "hunch/config/nesting.hpp"
#include "hunch/config/quoting.hpp"
#include "hunch/config/sections.hpp"

namespace hunch {
namespace {

// What the parser says, without its preamble: "TOML table header: expected ']', saw ..."
std::string syntax_problem(std::string_view description) {
  constexpr std::string_view preamble = "Error while parsing ";
  if (!description.starts_with(preamble)) return "TOML: " + std::string(description);
  return "TOML " + std::string(description.substr(preamble.size()));
}

toml::table parse_toml(std::string_view text, const std::string& file_name) {
  if (const auto line = line_of_too_deep_key(text))
    throw InputError(
        one_line(fmt::format("{}:{}: TOML key: expected at most {} dots", file_name, *line, most_dots)));
  try {
    return toml::parse(text, file_name);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    throw InputError(one_line(fmt::format("{}:{}:{}: {}", file_name, std::max<toml::source_index>(1, at.line),
                                          std::max<toml::source_index>(1, at.column),
                                          syntax_problem(error.description()))));
  }
}

bool uses_gradient(SamplerConfig::Method method) {
  return method == SamplerConfig::Method::mala || method == SamplerConfig::Method::gp_mala;
}

void check_gradient(const Field& document, const Config& config) {
  if (!uses_gradient(config.sampler.method) || config.model.gradient) return;
  document.need("sampler", "a table")
      .need("method", "a method")
      .expected("auto, transition, mh or gp-mh, because model.gradient is false");
}

// A log posterior has its prior inside: a second one here would count twice.
void check_priors(const Field& document, const Config& config) {
  const auto* server = std::get_if<ServerConfig>(&config.model.door);
  if (!server || server->gives != ServerConfig::Gives::log_posterior) return;
  for (const ParameterConfig& parameter : config.parameters) {
    const Family& family = parameter.prior.family;
    if (std::holds_alternative<Flat>(family) || std::holds_alternative<Uniform>(family)) continue;
    document.need("parameters", "a table")
        .need(parameter.name, "a table")
        .need("prior", "a prior")
        .expected("flat or uniform, because model.gives = \"log_posterior\" has the prior inside");
  }
}

std::string seen_from(const std::filesystem::path& base, const std::string& path) {
  return (base / path).lexically_normal().string();
}

}  // namespace

Config parse_config(std::string_view text, const std::string& file_name) {
  const toml::table parsed = parse_toml(text, file_name);
  const Field document(parsed, file_name);
  document.allow_keys(section_keys);
  Config config{.model = read_model(document.need("model", "a table [model]")), .parameters = {}};
  const bool brings_parameters = std::holds_alternative<ProblemConfig>(config.model.door);
  if (!brings_parameters || document.find("parameters"))
    config.parameters = read_parameters(document.need("parameters", "a table [parameters]"));
  if (const auto sampler = document.find("sampler")) config.sampler = read_sampler(*sampler);
  if (const auto budget = document.find("budget")) config.budget = read_budget(*budget);
  check_gradient(document, config);
  check_priors(document, config);
  return config;
}

Config resolve(Config config, const std::filesystem::path& base) {
  if (auto* library = std::get_if<LibraryConfig>(&config.model.door))
    library->path = seen_from(base, library->path);
  auto* program = std::get_if<ProgramConfig>(&config.model.door);
  if (program && program->template_file) program->template_file = seen_from(base, *program->template_file);
  for (std::string& file : config.model.data_files) file = seen_from(base, file);
  return config;
}

}  // namespace hunch
