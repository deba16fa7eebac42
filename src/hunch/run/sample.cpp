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
  choose(sampler.exactness, "exactness", options.exactness);
  sampler.tolerance = options.tolerance;
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

// What a config says of a model that only the caller can ask.
ModelConfig model_of(const SampleOptions& options, Capabilities capabilities) {
  ModelConfig model{.door = FunctionConfig{options.name.value_or("unnamed"), options.version.value_or("")}};
  model.gradient = capabilities.gradient;
  model.attempts = options.attempts;
  choose(model.on_failure, "on_failure", options.on_failure);
  return model;
}

// The options as the config that `hunch run` would be given; what is wrong with them is found where a
// config's faults are found.
Config config_of(ModelConfig model, const std::vector<SampleParameter>& parameters,
                 const SampleOptions& options) {
  const Config config{
      .model = std::move(model), .parameters = parameters_of(parameters), .sampler = sampler_of(options)};
  return parse_config(to_toml(config), "");
}

void check_place(const SampleOptions& options) {
  if (options.store && options.directory)
    refuse("store", "a directory as well", "only one of store and directory");
  if ((options.store || options.directory) && differ(options.explore, {}))
    refuse("explore", "other numbers beside a store or a directory",
           "the default ones: what is kept does not say which numbers chose it");
}

void check_name(const SampleOptions& options) {
  if ((options.store || options.directory) && !options.name)
    throw InputError(
        "name: got none, expected a name for the log-likelihood: kept evaluations must say whose they are");
}

// The directory of this run, and the one whose evaluations it takes over.
struct Place {
  RunDirectory directory;
  std::optional<std::filesystem::path> shorter = std::nullopt;
};

bool differs_in_more_draws_alone(Config begun, const Config& now) {
  const bool more = now.sampler.draws > begun.sampler.draws;
  begun.sampler.draws = now.sampler.draws;
  return more && !first_difference(begun, now);
}

Place new_place(const std::filesystem::path& folder, const Config& config,
                const std::filesystem::path& base) {
  return {RunDirectory::create(folder, to_toml(config), config, base)};
}

// Made or found again; its config is brought up to date in what changes no draw.
Place place_of(const SampleOptions& options, const Config& config, const std::filesystem::path& base) {
  const std::filesystem::path& folder = *options.directory;
  if (!RunDirectory::holds_run(folder)) return new_place(folder, config, base);
  if (options.existing == ExistingRun::refuse)
    throw InputError(folder.string() + " holds a run already: go on with it, or choose another directory");
  RunDirectory directory = RunDirectory::open(folder);
  if (options.existing == ExistingRun::extend && differs_in_more_draws_alone(directory.config(), config)) {
    const std::filesystem::path aside = RunDirectory::move_aside(folder);
    Place place = new_place(folder, config, directory.base());
    place.shorter = aside;
    return place;
  }
  if (const auto difference = first_difference(directory.config(), config))
    throw InputError(folder.string() + " holds a run that would have other draws: " + *difference +
                     "; choose another directory");
  WholeFiles files(Overwrite::yes);
  files.write(folder / "config.toml", to_toml(config));
  files.publish();
  return {directory};
}

std::unique_ptr<Store> store_of(const Job& job, const SampleOptions& options,
                                const std::filesystem::path& base) {
  if (options.store) return std::make_unique<Store>(*options.store, job.identity, options.durability);
  if (!options.directory) return nullptr;
  const Place place = place_of(options, job.config, base);
  auto store = std::make_unique<Store>(place.directory.store(), job.identity, options.durability);
  if (place.shorter) store->adopt(*place.shorter / "evaluations.sqlite");
  return store;
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
          .remarks = std::move(run.remarks),
          .certificate = std::move(run.certificate),
          .milestones = run.milestones,
          .doubts = std::move(run.doubts),
          .exported = std::move(exported)};
}

// The caller's model, and how often it was asked.
class CountedModel final : public Model {
 public:
  explicit CountedModel(Model& model) : model_(model) {}
  Capabilities capabilities() const override { return model_.capabilities(); }
  Asked asked() const override { return model_.asked(); }
  void cancel() override { model_.cancel(); }
  Outcome evaluate(const Vector& theta, Want want) override {
    ++calls_;
    return model_.evaluate(theta, want);
  }
  std::vector<Outcome> evaluate_all(const std::vector<Vector>& thetas, Want want) override {
    calls_ += static_cast<std::int64_t>(thetas.size());
    return model_.evaluate_all(thetas, want);
  }
  std::int64_t calls() const { return calls_; }

 private:
  Model& model_;
  std::atomic<std::int64_t> calls_ = 0;
};

RunResult run_of(const Job& job, Model& model, Store* store, const SampleOptions& options) {
  const SessionOptions session{.workers = options.workers,
                               .on_round = options.on_progress,
                               .interrupted = options.interrupted,
                               .store_holds = options.store ? StoreHolds::any_run : StoreHolds::this_run,
                               .stopping = options.stopping};
  if (!store) return run_session(job, model, session);
  try {
    return run_session(job, model, *store, session);
  } catch (const EvaluationsAbandoned&) {
    if (session.store_holds == StoreHolds::any_run) throw;
    return replay(job, *store);
  }
}

Job job_of(Config config, const SampleOptions& options, const std::filesystem::path& base) {
  Job job = make_job(std::move(config), base);
  job.settings.budget = options.budget;
  job.settings.explore = options.explore;
  validate(job.settings);
  return job;
}

SampleResult sample_job(const Job& job, Model& model, const SampleOptions& options,
                        const std::filesystem::path& base) {
  CountedModel counted(model);
  const std::unique_ptr<Store> store = store_of(job, options, base);
  const auto begun = std::chrono::steady_clock::now();
  RunResult run = run_of(job, counted, store.get(), options);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  SampleResult result = result_of(job, std::move(run), store.get(), taken.count());
  result.calls = counted.calls();
  return result;
}

}  // namespace

SampleResult sample(Model& model, const std::vector<SampleParameter>& parameters,
                    const SampleOptions& options) {
  check_place(options);
  check_name(options);
  const Job job =
      job_of(config_of(model_of(options, model.capabilities()), parameters, options), options, {});
  const auto base = options.directory ? std::filesystem::absolute(*options.directory).parent_path()
                                      : std::filesystem::path{};
  return sample_job(job, model, options, base);
}

SampleResult sample(const ModelConfig& model, const std::vector<SampleParameter>& parameters,
                    const SampleOptions& options) {
  check_place(options);
  const std::filesystem::path base = std::filesystem::current_path();
  const Job job = job_of(config_of(model, parameters, options), options, base);
  const std::unique_ptr<Model> door = open_model(job, base, options.workers);
  return sample_job(job, *door, options, base);
}

std::unique_ptr<Model> open_door(const ModelConfig& model, const std::vector<SampleParameter>& parameters,
                                 int workers) {
  const std::filesystem::path base = std::filesystem::current_path();
  return open_model(make_job(config_of(model, parameters, {}), base), base, workers);
}

SampleResult sample(const LogLikelihood& log_likelihood, const std::vector<SampleParameter>& parameters,
                    const SampleOptions& options) {
  FunctionModel model(
      [&](const Vector& theta, Want) {
        return Exact{log_likelihood(theta), std::nullopt};
      },
      Capabilities{.gradient = false});
  return sample(model, parameters, options);
}

SampleResult sample(const LogLikelihoodWithGradient& log_likelihood,
                    const std::vector<SampleParameter>& parameters, const SampleOptions& options) {
  FunctionModel model(log_likelihood, Capabilities{.gradient = true});
  return sample(model, parameters, options);
}

}  // namespace hunch
