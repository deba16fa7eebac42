#include "hunch/cli/overrides.hpp"

#include <fmt/ranges.h>

#include "hunch/config/choices.hpp"
#include "hunch/config/resolved.hpp"

namespace hunch::cli {

namespace {

std::vector<std::string> method_list() {
  std::vector<std::string> names;
  for (const auto& choice : choices(SamplerConfig::Method{})) names.emplace_back(choice.name);
  return names;
}

void refuse_negative(const char* key, std::int64_t given) {
  if (given < 0) throw InputError(fmt::format("sampler.{}: got {}, expected 0 or more", key, given));
}

}  // namespace

void add_overrides(CLI::App& command, Overrides& overrides) {
  const char* const group = "Instead of what the config says; the run's directory keeps it";
  command.add_option("--seed", overrides.seed, "Seed of the chains")->group(group);
  command.add_option("--chains,--num-chains", overrides.chains, "Chains, which share one surrogate")
      ->group(group);
  command.add_option("--warmup,--num-warmup", overrides.warmup, "Iterations of each chain not kept")
      ->group(group);
  command.add_option("--draws,--num-samples", overrides.draws, "Iterations of each chain kept")->group(group);
  command
      .add_option("--method", overrides.method, fmt::format("Sampler: {}", fmt::join(method_list(), ", ")))
      ->group(group);
}

std::vector<std::string> words_of(const Overrides& overrides) {
  std::vector<std::string> words;
  const auto add = [&](const char* flag, const auto& value) {
    if (value) words.push_back(fmt::format("{} {}", flag, *value));
  };
  add("--seed", overrides.seed);
  add("--chains", overrides.chains);
  add("--warmup", overrides.warmup);
  add("--draws", overrides.draws);
  add("--method", overrides.method);
  return words;
}

Config apply(const Overrides& overrides, Config config) {
  if (words_of(overrides).empty()) return config;
  SamplerConfig& sampler = config.sampler;
  if (overrides.seed) {
    refuse_negative("seed", *overrides.seed);
    sampler.seed = static_cast<std::uint64_t>(*overrides.seed);
  }
  sampler.chains = overrides.chains.value_or(sampler.chains);
  sampler.warmup = overrides.warmup.value_or(sampler.warmup);
  sampler.draws = overrides.draws.value_or(sampler.draws);
  if (overrides.method) {
    bool known = false;
    for (const auto& choice : choices(SamplerConfig::Method{})) {
      if (choice.name != *overrides.method) continue;
      sampler.method = choice.value;
      known = true;
    }
    if (!known)
      throw InputError(fmt::format("--method: got '{}', expected one of {}", *overrides.method,
                                   fmt::join(method_list(), ", ")));
  }
  // Read back as a file would be: ranges, and what goes with what, are checked in one place.
  return parse_config(to_toml(config), "");
}

}  // namespace hunch::cli
