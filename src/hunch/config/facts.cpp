#include "hunch/config/facts.hpp"

#include "hunch/config/choices.hpp"
#include "hunch/config/quoting.hpp"

namespace hunch {
namespace {

class FactList {
 public:
  void add(Bearing bearing, const std::string& key, const std::string& value) {
    list_.push_back({key, value, value, bearing});
  }
  void add(Bearing bearing, const std::string& key, const std::optional<std::string>& value) {
    add(bearing, key, value ? string_text(*value) : std::string("none"));
  }
  // The count first: then the numbers of two lists line up.
  void add(Bearing bearing, const std::string& key, const std::vector<double>& numbers) {
    add(bearing, key, std::to_string(numbers.size()) + (numbers.size() == 1 ? " number" : " numbers"));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      add(bearing, key + "[" + std::to_string(i) + "]", float_text(numbers[i]));
  }
  void add(Bearing bearing, const std::string& key, const std::vector<std::string>& texts) {
    std::vector<std::string> items;
    for (const std::string& text : texts) items.push_back(string_text(text));
    add(bearing, key, array_text(items));
  }
  template <class Choice>
  void add_choice(Bearing bearing, const std::string& key, Choice value) {
    add(bearing, key, string_text(name_of(value)));
  }
  void add(const Fact& fact) { list_.push_back(fact); }

  std::vector<Fact> take() { return std::move(list_); }

 private:
  std::vector<Fact> list_;
};

void add_door(const ProgramConfig& program, FactList& list) {
  list.add(Bearing::likelihood, "model.command", program.command);
  list.add_choice(Bearing::draws, "model.style", program.style);
  list.add(Bearing::likelihood, "model.template", program.template_file);
  list.add(Bearing::likelihood, "model.input_file", program.input_file);
  list.add(Bearing::likelihood, "model.result_file", program.result_file);
}

void add_door(const ServerConfig& server, FactList& list) {
  list.add(Bearing::likelihood, "model.name", string_text(server.name));
  list.add_choice(Bearing::likelihood, "model.gives", server.gives);
  list.add(Bearing::likelihood, "model.output_index", std::to_string(server.output_index));
  list.add(Bearing::likelihood, "model.data", server.data);
  list.add(Bearing::likelihood, "model.noise_sd", server.noise_sd);
  list.add(Bearing::likelihood, "model.config", server.config);
}

void add_door(const LibraryConfig& library, FactList& list) {
  list.add(Bearing::likelihood, "model.library", string_text(library.path));
}

void add_door(const ProblemConfig& problem, FactList& list) {
  list.add(Bearing::likelihood, "model.problem", string_text(problem.name));
}

void add_door(const FunctionConfig& function, FactList& list) {
  list.add(Bearing::likelihood, "model.function", string_text(function.name));
  list.add(Bearing::likelihood, "model.version", string_text(function.version));
}

void add_parameters(const std::vector<ParameterConfig>& parameters, FactList& list) {
  std::vector<std::string> names;
  for (const ParameterConfig& parameter : parameters) names.push_back(key_text(parameter.name));
  list.add(Bearing::likelihood, "parameters", array_text(names));
  for (const ParameterConfig& parameter : parameters) {
    const std::string key = "parameters." + key_text(parameter.name);
    list.add({key + ".prior", to_text(parameter.prior), string_text(parameter.prior_text), Bearing::draws});
    list.add(Bearing::draws, key + ".start",
             parameter.start ? float_text(*parameter.start) : std::string("none"));
  }
}

void add_sampler(const SamplerConfig& sampler, FactList& list) {
  list.add_choice(Bearing::draws, "sampler.method", sampler.method);
  list.add_choice(Bearing::draws, "sampler.screen", sampler.screen);
  list.add_choice(Bearing::draws, "sampler.learning", sampler.learning);
  list.add(Bearing::draws, "sampler.chains", std::to_string(sampler.chains));
  list.add(Bearing::draws, "sampler.warmup", std::to_string(sampler.warmup));
  list.add(Bearing::draws, "sampler.draws", std::to_string(sampler.draws));
  list.add(Bearing::draws, "sampler.seed", std::to_string(sampler.seed));
  list.add_choice(Bearing::draws, "sampler.covariance", sampler.covariance);
  list.add_choice(Bearing::draws, "sampler.exactness", sampler.exactness);
  list.add(Bearing::draws, "sampler.tolerance", float_text(sampler.tolerance));
}

}  // namespace

std::vector<Fact> facts(const Config& config) {
  FactList list;
  list.add(Bearing::likelihood, "model", door_key(config.model.door));
  std::visit([&list](const auto& door) { add_door(door, list); }, config.model.door);
  list.add(Bearing::draws, "model.gradient", std::string(config.model.gradient ? "true" : "false"));
  list.add(Bearing::draws, "model.data_files", config.model.data_files);
  add_parameters(config.parameters, list);
  add_sampler(config.sampler, list);
  return list.take();
}

}  // namespace hunch
