#include "hunch/config/resolved.hpp"

#include "hunch/config/choices.hpp"
#include "hunch/config/duration.hpp"
#include "hunch/config/quoting.hpp"

namespace hunch {
namespace {

std::string line(const std::string& key, const std::string& value) {
  return key + " = " + value + "\n";
}

template <class Choice>
std::string line_of_choice(const std::string& key, Choice value) {
  return line(key, string_text(name_of(value)));
}

template <class Item, class Write>
std::string array_of(const std::vector<Item>& items, Write write) {
  std::vector<std::string> texts;
  for (const Item& item : items) texts.push_back(write(item));
  return array_text(texts);
}

// What tells an object of JSON from an inline table of TOML is how a key is parted from its value.
std::string inline_table(const std::string& json) {
  std::string result;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') in_text = !in_text;
    if (json[i] == ':' && !in_text) {
      result += " =";
      continue;
    }
    result += json[i];
    if (json[i] == '\\' && in_text && i + 1 < json.size()) result += json[++i];
  }
  return result;
}

std::string door_text(const ProgramConfig& program) {
  std::string text = line("command", array_of(program.command, string_text));
  text += line_of_choice("style", program.style);
  if (program.template_file) text += line("template", string_text(*program.template_file));
  if (program.input_file) text += line("input_file", string_text(*program.input_file));
  if (program.result_file) text += line("result_file", string_text(*program.result_file));
  return text;
}

std::string door_text(const ServerConfig& server) {
  std::string text = line("url", array_of(server.urls, string_text));
  text += line("name", string_text(server.name));
  text += line_of_choice("gives", server.gives);
  if (server.gives != ServerConfig::Gives::forward) {
    text += line("output_index", std::to_string(server.output_index));
  } else {
    text += line("data", array_of(server.data, float_text));
    const bool one_for_all = server.noise_sd.size() == 1;
    text += line("noise_sd",
                 one_for_all ? float_text(server.noise_sd[0]) : array_of(server.noise_sd, float_text));
  }
  return text + line("config", inline_table(server.config));
}

std::string door_text(const LibraryConfig& library) {
  return line("library", string_text(library.path));
}

std::string door_text(const ProblemConfig& problem) {
  return line("problem", string_text(problem.name));
}

std::string door_text(const FunctionConfig& function) {
  std::string text = line("function", string_text(function.name));
  if (!function.version.empty()) text += line("version", string_text(function.version));
  return text;
}

std::string model_text(const ModelConfig& model) {
  std::string text = "[model]\n";
  text += std::visit([](const auto& door) { return door_text(door); }, model.door);
  text += line("gradient", model.gradient ? "true" : "false");
  text += line("timeout", string_text(duration_text(model.timeout_seconds)));
  text += line("attempts", std::to_string(model.attempts));
  text += line_of_choice("on_failure", model.on_failure);
  return text + line("data_files", array_of(model.data_files, string_text));
}

std::string parameters_text(const std::vector<ParameterConfig>& parameters) {
  if (parameters.empty()) return "";
  std::string text = "\n[parameters]\n";
  for (const ParameterConfig& parameter : parameters) {
    std::string value = "{ prior = " + string_text(parameter.prior_text);
    if (parameter.start) value += ", start = " + float_text(*parameter.start);
    text += line(key_text(parameter.name), value + " }");
  }
  return text;
}

std::string sampler_text(const SamplerConfig& sampler) {
  std::string text = "\n[sampler]\n";
  text += line_of_choice("method", sampler.method);
  text += line_of_choice("screen", sampler.screen);
  text += line_of_choice("learning", sampler.learning);
  text += line("chains", std::to_string(sampler.chains));
  text += line("warmup", std::to_string(sampler.warmup));
  text += line("draws", std::to_string(sampler.draws));
  text += line("seed", std::to_string(sampler.seed));
  text += line_of_choice("covariance", sampler.covariance);
  text += line_of_choice("exactness", sampler.exactness);
  return text + line("tolerance", float_text(sampler.tolerance));
}

std::string budget_text(const BudgetConfig& budget) {
  std::string text = "\n[budget]\n";
  if (budget.evaluations) text += line("evaluations", std::to_string(*budget.evaluations));
  if (budget.time_seconds) text += line("time", string_text(duration_text(*budget.time_seconds)));
  if (budget.goal)
    text += line("goal", "{ ess = " + float_text(budget.goal->ess) +
                             ", rhat = " + float_text(budget.goal->rhat) + " }");
  return text;
}

}  // namespace

std::string to_toml(const Config& config) {
  return model_text(config.model) + parameters_text(config.parameters) + sampler_text(config.sampler) +
         budget_text(config.budget);
}

}  // namespace hunch
