#include "hunch/run/job.hpp"

#include <cmath>
#include <utility>

#include "hunch/config/identity.hpp"
#include "hunch/core/numeric.hpp"
#include "hunch/model/library_model.hpp"
#include "hunch/model/program_model.hpp"
#include "hunch/model/umbridge_model.hpp"
#include "hunch/problems/problem.hpp"
#include "hunch/run/digest.hpp"
#include "hunch/run/text_file.hpp"

namespace hunch {

namespace {

// The data of a built-in problem are the same for every run; only the sampler's seed is the user's.
Problem problem_of(const ProblemConfig& door) {
  return make_problem(door.name, {.seed = 1});
}

Config with_parameters(Config config) {
  const auto* door = std::get_if<ProblemConfig>(&config.model.door);
  if (door == nullptr || !config.parameters.empty()) return config;
  const Problem problem = problem_of(*door);
  for (Index i = 0; i < problem.parameters.dimension(); ++i) {
    const Parameter& parameter = problem.parameters.list()[i];
    config.parameters.push_back(
        {parameter.name, to_text(parameter.prior), parameter.prior, problem.truth[i]});
  }
  return config;
}

Parameters parameters_of(const Config& config) {
  std::vector<Parameter> list;
  for (const ParameterConfig& p : config.parameters) list.push_back({p.name, p.prior, p.start});
  return Parameters(std::move(list));
}

Identity identity_of(const Config& config, const std::filesystem::path& base) {
  Identity identity;
  for (const auto& [name, value] : likelihood_identity(config)) identity.push_back({name, value});
  for (const std::string& file : identity_files(config))
    identity.push_back({"file " + file, sha256_of_file(base / file)});
  return identity;
}

RunSettings settings_of(const Config& config) {
  const SamplerConfig& sampler = config.sampler;
  RunSettings settings;
  settings.method = static_cast<Method>(sampler.method);
  settings.learning = static_cast<Learning>(sampler.learning);
  settings.exactness = static_cast<Exactness>(sampler.exactness);
  settings.tolerance = sampler.tolerance;
  settings.gradients = config.model.gradient;
  settings.screen = sampler.screen == SamplerConfig::Screen::early   ? Screen::early
                    : sampler.screen == SamplerConfig::Screen::paper ? Screen::paper
                                                                     : Screen::ratio;
  settings.warmup = sampler.warmup;
  settings.draws = sampler.draws;
  settings.seed = sampler.seed;
  settings.covariance = sampler.covariance == SamplerConfig::Covariance::se
                            ? CovarianceFamily::squared_exponential
                            : CovarianceFamily::matern52;
  settings.on_failure =
      config.model.on_failure == ModelConfig::OnFailure::stop ? OnFailure::stop : OnFailure::reject;
  settings.budget.evaluations = config.budget.evaluations;
  settings.budget.seconds = config.budget.time_seconds;
  if (config.budget.goal) settings.budget.goal = Goal{config.budget.goal->ess, config.budget.goal->rhat};
  return settings;
}

// Each chain starts near the user's start (a tenth of the prior's width away), or else half a width or so
// around the middle of the prior.
std::vector<Vector> starts_of(const Parameters& parameters, const SamplerConfig& sampler) {
  std::vector<Vector> starts;
  for (std::int64_t c = 0; c < sampler.chains; ++c) {
    Rng rng({sampler.seed, static_cast<std::uint32_t>(c), 0, Purpose::start});
    Vector start(parameters.dimension());
    for (Index j = 0; j < start.size(); ++j) {
      const Parameter& parameter = parameters.list()[j];
      const PriorSpread spread = prior_spread(parameter.prior);
      if (!parameter.start && !is_proper(parameter.prior))
        throw InputError("parameters." + parameter.name +
                         ": a flat prior says nothing about where to start; add start = ...");
      const double away = rng.normal();
      const double centre = parameter.start
                                ? position(transform_onto(support(parameter.prior)), *parameter.start)
                                : spread.centre;
      start[j] = centre + (parameter.start ? 0.1 : 0.5) * spread.width * away;
    }
    starts.push_back(std::move(start));
  }
  return starts;
}

Proposal proposal_of(const Parameters& parameters, Method method) {
  Vector scales(parameters.dimension());
  for (Index j = 0; j < scales.size(); ++j) scales[j] = 0.1 * prior_spread(parameters.list()[j].prior).width;
  if (uses_gradient(method)) return Langevin{1, scales.cwiseAbs2()};
  return RandomWalk{scales};
}

std::unique_ptr<Model> open_door(const ProgramConfig& door, const Job& job, const std::filesystem::path& base,
                                 int workers) {
  ProgramSettings settings;
  settings.command = door.command;
  for (const ParameterConfig& p : job.config.parameters) settings.parameter_names.push_back(p.name);
  settings.style = door.style == ProgramConfig::Style::worker ? ProgramSettings::Style::worker
                                                              : ProgramSettings::Style::once;
  settings.timeout_seconds = job.config.model.timeout_seconds;
  settings.capabilities = {job.config.model.gradient};
  settings.instances = workers;
  settings.base = base;
  if (door.template_file)
    settings.input = InputTemplate{*door.input_file, text_of(base / *door.template_file)};
  settings.result_file = door.result_file;
  return open_program(std::move(settings));
}

std::unique_ptr<Model> open_door(const ServerConfig& door, const Job& job,
                                 const std::filesystem::path& /*base*/, int workers) {
  UmBridgeSettings settings;
  settings.urls = door.urls;
  settings.model_name = door.name;
  settings.gives = static_cast<UmBridgeSettings::Gives>(door.gives);
  settings.output_index = door.output_index;
  settings.data = Eigen::Map<const Vector>(door.data.data(), static_cast<Index>(door.data.size()));
  settings.noise_sd =
      Eigen::Map<const Vector>(door.noise_sd.data(), static_cast<Index>(door.noise_sd.size()));
  settings.config_json = door.config;
  settings.gradient = job.config.model.gradient ? UmBridgeSettings::UseGradient::required
                                                : UmBridgeSettings::UseGradient::never;
  settings.timeout_seconds = job.config.model.timeout_seconds;
  const int urls = static_cast<int>(door.urls.size());
  settings.concurrent_per_url = std::max(1, (workers + urls - 1) / urls);
  return open_umbridge(std::move(settings), job.parameters.dimension());
}

std::unique_ptr<Model> open_door(const LibraryConfig& door, const Job& job, const std::filesystem::path& base,
                                 int /*workers*/) {
  return open_library(base / door.path, job.parameters.dimension());
}

std::unique_ptr<Model> open_door(const ProblemConfig& door, const Job& /*job*/,
                                 const std::filesystem::path& /*base*/, int /*workers*/) {
  return std::make_unique<FunctionModel>(problem_of(door).evaluate, Capabilities{true});
}

std::unique_ptr<Model> open_door(const FunctionConfig& door, const Job& /*job*/,
                                 const std::filesystem::path& /*base*/, int /*workers*/) {
  throw InputError("model.function: \"" + door.name +
                   "\" is known only to the program that began this run; go on by running that again");
}

}  // namespace

Job make_job(Config config, const std::filesystem::path& base) {
  config = with_parameters(std::move(config));
  Parameters parameters = parameters_of(config);
  RunSettings settings = settings_of(config);
  Identity identity = identity_of(config, base);
  std::vector<Vector> starts = starts_of(parameters, config.sampler);
  Proposal proposal = proposal_of(parameters, settings.method);
  return {std::move(config),   std::move(parameters), std::move(identity),
          std::move(settings), std::move(starts),     std::move(proposal)};
}

std::unique_ptr<Model> open_model(const Job& job, const std::filesystem::path& base, int workers) {
  return std::visit([&](const auto& door) { return open_door(door, job, base, workers); },
                    job.config.model.door);
}

}  // namespace hunch
