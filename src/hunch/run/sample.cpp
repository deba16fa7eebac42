#include "hunch/run/sample.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "hunch/config/choices.hpp"
#include "hunch/config/differences.hpp"
#include "hunch/config/quoting.hpp"
#include "hunch/config/resolved.hpp"
#include "hunch/draws/whole_files.hpp"
#include "hunch/run/job.hpp"
#include "hunch/run/run_directory.hpp"
#include "hunch/run/run_export.hpp"
#include "hunch/run/session.hpp"

namespace hunch {

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& given, const std::string& expected) {
  throw InputError(option + ": got " + given + ", expected " + expected);
}

template <class Choice>
void choose(Choice& choice, const std::string& option, const std::string& given) {
  std::vector<std::string_view> names;
  for (const auto& known : choices(Choice{})) {
    names.push_back(known.name);
    if (known.name != given) continue;
    choice = known.value;
    return;
  }
  refuse(option, string_text(given), fmt::format("one of {}", fmt::join(names, ", ")));
}

SamplerConfig sampler_of(const SampleOptions& options) {
  // The config counts seeds as TOML does, with a sign.
  constexpr std::uint64_t largest_seed = std::numeric_limits<std::int64_t>::max();
  if (options.seed > largest_seed)
    refuse("seed", std::to_string(options.seed), fmt::format("{} or less", largest_seed));
  SamplerConfig sampler;
  choose(sampler.method, "method", options.method);
  choose(sampler.screen, "screen", options.screen);
  choose(sampler.learning, "learning", options.learning);
  choose(sampler.covariance, "covariance", options.covariance);
  sampler.chains = options.chains;
  sampler.warmup = options.warmup;
  sampler.draws = options.draws;
  sampler.seed = options.seed;
  return sampler;
}

std::vector<ParameterConfig> parameters_of(const std::vector<SampleParameter>& given) {
  if (given.empty()) refuse("parameters", "none", "at least one");
  std::vector<ParameterConfig> parameters;
  std::set<std::string> names;
  for (const SampleParameter& one : given) {
    if (!names.insert(one.name).second)
      refuse("parameters", "the name " + string_text(one.name) + " twice", "a name of its own for each");
    const auto* value = std::get_if<Prior>(&one.prior);
    // A text is read later, with the rest of the config.
    if (value)
      parameters.push_back({one.name, to_text(*value), *value, one.start});
    else
      parameters.push_back({one.name, std::get<std::string>(one.prior), {Flat{}}, one.start});
  }
  return parameters;
}

// The options as the config that `hunch run` would be given; what is wrong with them is found where a
// config's faults are found.
Config config_of(const std::vector<SampleParameter>& parameters, const SampleOptions& options,
                 Capabilities capabilities) {
  Config config{
      .model = {.door = FunctionConfig{options.name.value_or("unnamed"), options.version.value_or("")}},
      .parameters = parameters_of(parameters),
      .sampler = sampler_of(options)};
  config.model.gradient = capabilities.gradient;
  config.model.attempts = options.attempts;
  choose(config.model.on_failure, "on_failure", options.on_failure);
  return parse_config(to_toml(config), "");
}

void check_place(const SampleOptions& options) {
  if (options.store && options.directory)
    refuse("store", "a directory as well", "only one of store and directory");
  if ((options.store || options.directory) && !options.name)
    throw InputError(
        "name: got none, expected a name for the log-likelihood: kept evaluations must say whose they are");
}

// The directory of this run, made or found again; its config is brought up to date in what changes no draw.
RunDirectory directory_of(const std::filesystem::path& folder, const Config& config) {
  const std::string text = to_toml(config);
  if (!std::filesystem::exists(folder / "resolved.toml"))
    return RunDirectory::create(folder, text, config, std::filesystem::absolute(folder).parent_path());
  RunDirectory directory = RunDirectory::open(folder);
  if (const auto difference = first_difference(directory.config(), config))
    throw InputError(folder.string() + " holds a run that would have other draws: " + *difference +
                     "; choose another directory");
  WholeFiles files(Overwrite::yes);
  files.write(folder / "config.toml", text);
  files.publish();
  return directory;
}

std::unique_ptr<Store> store_of(const Job& job, const SampleOptions& options) {
  if (!options.store && !options.directory) return nullptr;
  const std::filesystem::path file =
      options.store ? *options.store : directory_of(*options.directory, job.config).store();
  return std::make_unique<Store>(file, job.identity, options.durability);
}

SampleResult result_of(const Job& job, RunResult run, const Store* store, double seconds) {
  Export exported = store ? to_export(job, run, *store, seconds) : to_export(job, run, seconds);
  const bool any = run.draws.chains() > 0 && run.draws.length(0) > 0;
  auto summary = any ? summarise(run.draws) : std::vector<ParameterSummary>{};
  const StageCounts counts = all_counts(run);
  return {.draws = std::move(run.draws),
          .summary = std::move(summary),
          .evaluations = run.evaluations,
          .calls = 0,
          .counts = counts,
          .ending = run.ending,
          .exported = std::move(exported)};
}

SampleResult sample_function(FunctionModel::Function function, Capabilities capabilities,
                             const std::vector<SampleParameter>& parameters, const SampleOptions& options) {
  check_place(options);
  Job job = make_job(config_of(parameters, options, capabilities), {});
  job.settings.budget = options.budget;
  validate(job.settings);
  std::atomic<std::int64_t> calls = 0;
  FunctionModel model(
      [&calls, function = std::move(function)](const Vector& theta, Want want) {
        ++calls;
        return function(theta, want);
      },
      capabilities);
  const std::unique_ptr<Store> store = store_of(job, options);
  const SessionOptions session{.workers = options.workers,
                               .on_round = options.on_progress,
                               .interrupted = options.interrupted,
                               .store_holds = options.store ? StoreHolds::any_run : StoreHolds::this_run};
  const auto begun = std::chrono::steady_clock::now();
  RunResult run = store ? run_session(job, model, *store, session) : run_session(job, model, session);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  SampleResult result = result_of(job, std::move(run), store.get(), taken.count());
  result.calls = calls;
  return result;
}

}  // namespace

SampleResult sample(const LogLikelihood& log_likelihood, const std::vector<SampleParameter>& parameters,
                    const SampleOptions& options) {
  return sample_function(
      [&log_likelihood](const Vector& theta, Want) {
        return Exact{log_likelihood(theta), std::nullopt};
      },
      Capabilities{.gradient = false}, parameters, options);
}

SampleResult sample(const LogLikelihoodWithGradient& log_likelihood,
                    const std::vector<SampleParameter>& parameters, const SampleOptions& options) {
  return sample_function(log_likelihood, Capabilities{.gradient = true}, parameters, options);
}

}  // namespace hunch
