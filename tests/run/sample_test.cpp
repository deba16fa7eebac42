// The front door for programs: it makes the draws that a config makes, and what it keeps is nobody else's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "evaluation/scratch.hpp"
#include "hunch/config/choices.hpp"
#include "hunch/hunch.hpp"
#include "hunch/problems/problem.hpp"
#include "hunch/run/digest.hpp"
#include "hunch/run/run_directory.hpp"
#include "hunch/run/session.hpp"

namespace hunch {
namespace {

using scratch::Folder;
using scratch::said_by;
using testing::AllOf;
using testing::HasSubstr;

std::vector<SampleParameter> parameters_of(const Problem& problem) {
  std::vector<SampleParameter> parameters;
  for (Index i = 0; i < problem.parameters.dimension(); ++i) {
    const Parameter& parameter = problem.parameters.list()[i];
    parameters.push_back({parameter.name, parameter.prior, problem.truth[i]});
  }
  return parameters;
}

// What `hunch run` does with a config of a built-in problem.
RunResult run_of_config(const std::string& method, std::uint64_t seed, const std::string& of_model = "") {
  const Folder folder;
  const Job job = make_job(
      parse_config("[model]\nproblem = \"sir\"\n" + of_model + "\n[sampler]\nmethod = \"" + method +
                       "\"\nchains = 3\nwarmup = 60\ndraws = 80\nseed = " + std::to_string(seed) + "\n",
                   "run.toml"),
      {});
  const auto model = open_model(job, {}, 1);
  Store store(folder / "evaluations.sqlite", job.identity, Durability::relaxed);
  return run_session(job, *model, store, {});
}

SampleResult sample_of_function(const std::string& method, std::uint64_t seed, int workers = 1) {
  const Problem problem = make_problem("sir");
  return sample(problem.evaluate, parameters_of(problem),
                {.method = method, .chains = 3, .warmup = 60, .draws = 80, .seed = seed, .workers = workers});
}

TEST(Sample, MakesTheDrawsThatTheConfigOfTheSameLikelihoodMakes) {
  for (const char* method : {"mh", "gp-mh", "mala", "gp-mala", "transition", "auto"}) {
    const RunResult expected = run_of_config(method, 7);
    const SampleResult found = sample_of_function(method, 7);
    EXPECT_EQ(sha256_of_draws(found.draws), sha256_of_draws(expected.draws)) << method;
    EXPECT_EQ(found.evaluations, expected.evaluations) << method;
    EXPECT_EQ(found.calls, expected.evaluations) << method;
    EXPECT_EQ(found.counts.iterations, all_counts(expected).iterations) << method;
    EXPECT_NE(sha256_of_draws(sample_of_function(method, 8).draws), sha256_of_draws(expected.draws));
  }
}

TEST(Sample, WithoutGradientMakesTheSameDrawsWhereNoneIsUsed) {
  const Problem problem = make_problem("sir");
  const auto value = [&](const Vector& theta) { return problem.evaluate(theta, Want::value).log_likelihood; };
  const auto found = [&](const std::string& method) {
    return sample(value, parameters_of(problem),
                  {.method = method, .chains = 3, .warmup = 60, .draws = 80, .seed = 7});
  };
  EXPECT_EQ(sha256_of_draws(found("gp-mh").draws), sha256_of_draws(run_of_config("gp-mh", 7).draws));
  EXPECT_EQ(sha256_of_draws(found("auto").draws),
            sha256_of_draws(run_of_config("auto", 7, "gradient = false").draws));
}

TEST(Sample, DrawsDoNotDependOnTheWorkers) {
  EXPECT_EQ(sha256_of_draws(sample_of_function("auto", 3, 3).draws),
            sha256_of_draws(sample_of_function("auto", 3, 1).draws));
  EXPECT_EQ(sha256_of_draws(sample_of_function("gp-mh", 3, 3).draws),
            sha256_of_draws(sample_of_function("gp-mh", 3, 1).draws));
}

// A straight line through two points' worth of data: log-likelihood of a normal with correlated parameters.
double plane(const Vector& theta) {
  const double u = theta[0] - 1, v = theta[1] + 2;
  return -0.5 * (u * u + v * v - 1.2 * u * v) / 0.64;
}

const std::vector<SampleParameter> plane_parameters = {{"u", "normal(0, 2)"}, {"v", "normal(0, 2)"}};

// Conjugate: precision P = [1 -0.6; -0.6 1] / 0.64 at (1, -2), prior precision 1/4. With this fixed seed the
// four checks would fail a right program with probability below 1e-5 (4.9 Monte Carlo errors, by the normal
// tail, for means; the sds have wider room).
TEST(Sample, FindsThePosteriorOfANormalTarget) {
  const Matrix likelihood = Matrix{{1, -0.6}, {-0.6, 1}} / 0.64;
  const Matrix covariance = (likelihood + 0.25 * Matrix::Identity(2, 2)).inverse();
  const Vector mean = covariance * (likelihood * Vector{{1.0, -2.0}});
  const SampleResult found = sample(plane, plane_parameters, {.draws = 3000});
  ASSERT_EQ(found.summary.size(), 2u);
  for (Index i = 0; i < 2; ++i) {
    const ParameterSummary& line = found.summary[i];
    EXPECT_NEAR(*line.mean, mean[i], 4.9 * *line.mcse_mean) << line.name;
    EXPECT_NEAR(*line.sd, std::sqrt(covariance(i, i)), 4.9 * *line.mcse_sd) << line.name;
    EXPECT_LT(*line.mcse_mean, 0.1 * *line.sd) << line.name;
  }
  EXPECT_TRUE(converged(found.summary, found.draws.chains()));
  EXPECT_EQ(found.ending, Ending::complete);
  EXPECT_LT(found.evaluations, found.counts.iterations);
}

TEST(Sample, TakesAPriorAsTextOrAsAValue) {
  const SampleOptions options{.chains = 2, .warmup = 30, .draws = 30};
  const SampleResult text = sample(plane, {{"u", "normal(0, 2, upper=3)"}, {"v", "flat", -1.0}}, options);
  const SampleResult value =
      sample(plane, {{"u", Prior{Normal{0, 2}, {}, 3}}, {"v", Prior{Flat{}}, -1.0}}, options);
  EXPECT_EQ(sha256_of_draws(text.draws), sha256_of_draws(value.draws));
  EXPECT_EQ(text.draws.names(), (std::vector<std::string>{"u", "v"}));
}

// Small runs of the plane, kept in a file or a directory.
SampleOptions small(SampleOptions options) {
  options.chains = 2;
  options.warmup = 40;
  if (options.draws == SampleOptions{}.draws) options.draws = 40;
  options.durability = Durability::relaxed;
  return options;
}

TEST(SampleStore, PaysForNothingTwice) {
  const Folder folder;
  const SampleOptions options = small({.name = "plane", .store = folder / "plane.sqlite"});
  const SampleResult first = sample(plane, plane_parameters, options);
  const SampleResult again = sample(plane, plane_parameters, options);
  EXPECT_EQ(first.calls, first.evaluations);
  EXPECT_EQ(again.calls, 0);
  EXPECT_EQ(again.evaluations, first.evaluations);
  EXPECT_EQ(sha256_of_draws(again.draws), sha256_of_draws(first.draws));
  const SampleResult kept_nothing = sample(plane, plane_parameters, small({}));
  EXPECT_EQ(sha256_of_draws(kept_nothing.draws), sha256_of_draws(first.draws));
}

TEST(SampleStore, GoesOnAfterAnInterruptionWithTheSameDraws) {
  const Folder folder;
  SampleOptions options = small({.name = "plane", .store = folder / "plane.sqlite"});
  int asked = 0;
  options.interrupted = [&] { return ++asked > 15; };
  const SampleResult stopped = sample(plane, plane_parameters, options);
  EXPECT_EQ(stopped.ending, Ending::interrupted);
  options.interrupted = {};
  const SampleResult rest = sample(plane, plane_parameters, options);
  const SampleResult whole = sample(plane, plane_parameters, small({}));
  EXPECT_GT(stopped.calls, 0);
  EXPECT_EQ(stopped.calls + rest.calls, whole.calls);
  EXPECT_EQ(sha256_of_draws(rest.draws), sha256_of_draws(whole.draws));
}

TEST(SampleStore, ServesOtherPriorsAndSettings) {
  const Folder folder;
  SampleOptions options = small({.name = "plane", .store = folder / "plane.sqlite"});
  const SampleResult few = sample(plane, plane_parameters, options);
  options.draws = 80;
  const SampleResult more = sample(plane, plane_parameters, options);
  EXPECT_EQ(more.calls, more.evaluations - few.evaluations);
  EXPECT_NO_THROW(sample(plane, {{"u", "normal(1, 1)"}, {"v", "normal(0, 2)"}}, options));
}

TEST(SampleStore, OfAnotherFunctionIsRefusedAndTheDifferenceNamed) {
  const Folder folder;
  const SampleOptions options = small({.name = "plane", .version = "1", .store = folder / "plane.sqlite"});
  sample(plane, plane_parameters, options);
  const auto refusal = [&](SampleOptions changed, const std::vector<SampleParameter>& parameters) {
    return said_by<StoreRefused>([&] { sample(plane, parameters, changed); });
  };
  SampleOptions changed = options;
  changed.version = "2";
  EXPECT_THAT(refusal(changed, plane_parameters), AllOf(HasSubstr("model.version"), HasSubstr("2")));
  changed.version.reset();
  EXPECT_THAT(refusal(changed, plane_parameters), HasSubstr("model.version"));
  changed = options;
  changed.name = "plain";
  EXPECT_THAT(refusal(changed, plane_parameters), HasSubstr("model.function"));
  EXPECT_THAT(refusal(options, {{"v", "normal(0, 2)"}, {"u", "normal(0, 2)"}}), HasSubstr("parameters"));
}

TEST(SampleStore, WithoutANameForTheFunctionIsRefusedAndNotMade) {
  const Folder folder;
  for (SampleOptions options :
       {SampleOptions{.store = folder / "kept"}, SampleOptions{.directory = folder / "kept"}})
    EXPECT_THAT(said_by<InputError>([&] { sample(plane, plane_parameters, options); }),
                HasSubstr("name: got none, expected a name"));
  EXPECT_THAT(said_by<InputError>([&] {
                sample(plane, plane_parameters,
                       {.name = "plane", .store = folder / "kept", .directory = folder / "kept"});
              }),
              HasSubstr("only one of store and directory"));
  EXPECT_FALSE(std::filesystem::exists(folder / "kept"));
}

TEST(SampleDirectory, IsARunThatTheCommandsRead) {
  const Folder folder;
  const SampleOptions options = small({.name = "plane", .version = "1", .directory = folder / "run"});
  const SampleResult made = sample(plane, plane_parameters, options);
  const RunDirectory directory = RunDirectory::open(folder / "run");
  const Job job = make_job(directory.config(), directory.base());
  {
    Store store(directory.store(), job.identity, Durability::full);
    const RunResult told = replay(job, store);
    EXPECT_EQ(told.ending, Ending::complete);
    EXPECT_EQ(sha256_of_draws(told.draws), sha256_of_draws(made.draws));
  }
  EXPECT_THAT(said_by<InputError>([&] { open_model(job, directory.base(), 1); }),
              HasSubstr("\"plane\" is known only to the program that began this run"));
  EXPECT_EQ(sample(plane, plane_parameters, options).calls, 0);
}

TEST(SampleDirectory, RefusesSettingsThatWouldChangeItsDraws) {
  const Folder folder;
  SampleOptions options = small({.name = "plane", .directory = folder / "run"});
  sample(plane, plane_parameters, options);
  options.seed = 5;
  EXPECT_THAT(said_by<InputError>([&] { sample(plane, plane_parameters, options); }),
              HasSubstr("sampler.seed: the run has 1, the config now says 5"));
}

TEST(SampleDirectory, TakesOverWhatChangesNoDraw) {
  const Folder folder;
  SampleOptions options = small({.name = "plane", .directory = folder / "run"});
  sample(plane, plane_parameters, options);
  options.on_failure = "reject";
  EXPECT_EQ(sample(plane, plane_parameters, options).calls, 0);
  EXPECT_EQ(RunDirectory::open(folder / "run").config().model.on_failure, ModelConfig::OnFailure::reject);
}

std::string refusal_of(const SampleOptions& options,
                       const std::vector<SampleParameter>& parameters = plane_parameters) {
  int calls = 0;
  const auto counted = [&](const Vector& theta) { return ++calls, plane(theta); };
  const std::string said = said_by<InputError>([&] { sample(counted, parameters, options); });
  EXPECT_EQ(calls, 0) << said;
  return said;
}

TEST(SampleOptions, AreRefusedWithWhatWasGivenAndWhatIsAllowed) {
  EXPECT_EQ(refusal_of({.chains = 0}), "sampler.chains: got 0, expected 1 or more");
  EXPECT_EQ(refusal_of({.warmup = -1}), "sampler.warmup: got -1, expected 0 or more");
  EXPECT_EQ(refusal_of({.draws = 0}), "sampler.draws: got 0, expected 1 or more");
  EXPECT_EQ(refusal_of({.attempts = 0}), "model.attempts: got 0, expected 1 or more");
  EXPECT_EQ(refusal_of({.seed = 1ull << 63}),
            "seed: got 9223372036854775808, expected 9223372036854775807 or less");
  EXPECT_THAT(refusal_of({.workers = 0}), HasSubstr("workers"));
  EXPECT_EQ(refusal_of({.on_failure = "ignore"}), "on_failure: got \"ignore\", expected one of stop, reject");
  EXPECT_THAT(refusal_of({.budget = {.evaluations = 0}}), HasSubstr("budget.evaluations: got 0"));
  EXPECT_THAT(refusal_of({.budget = {.goal = Goal{.ess = 0}}}), HasSubstr("budget.goal.ess: got 0"));
  EXPECT_THAT(refusal_of({.budget = {.goal = Goal{.rhat = 1}}}), HasSubstr("budget.goal.rhat: got 1"));
}

TEST(SampleOptions, EveryMethodOfTheConfigIsKnownAndNoOther) {
  const std::string said = refusal_of({.method = "gibbs"});
  EXPECT_THAT(said, HasSubstr("method: got \"gibbs\", expected one of "));
  const Problem problem = make_problem("banana");
  for (const auto& method : choices(SamplerConfig::Method{})) {
    EXPECT_THAT(said, HasSubstr(std::string(method.name)));
    EXPECT_NO_THROW(sample(problem.evaluate, parameters_of(problem),
                           {.method = std::string(method.name), .chains = 2, .warmup = 20, .draws = 20}))
        << method.name;
  }
  EXPECT_THAT(refusal_of({.method = "mala"}), HasSubstr("sampler.method: got \"mala\""));
}

TEST(SampleParameters, AreRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal_of({}, {}), "parameters: got none, expected at least one");
  EXPECT_THAT(refusal_of({}, {{"u", "normal(0, 2)"}, {"u", "normal(0, 2)"}}), HasSubstr("\"u\" twice"));
  EXPECT_THAT(refusal_of({}, {{"u", "normel(0, 2)"}}), HasSubstr("parameters.u.prior: got "));
  EXPECT_THAT(refusal_of({}, {{"u", Prior{Normal{0, -2}}}}), HasSubstr("parameters.u.prior: got "));
  EXPECT_THAT(refusal_of({}, {{"u", "uniform(0, 1)", 2.0}}), HasSubstr("parameters.u.start: got 2"));
  EXPECT_THAT(refusal_of({}, {{"u", "uniform(0, 1)", nan}}), HasSubstr("parameters.u.start: got nan"));
  EXPECT_THAT(refusal_of({}, {{"u", "flat"}}), HasSubstr("parameters.u: a flat prior"));
  EXPECT_THAT(refusal_of({}, {{"", "normal(0, 2)"}}), HasSubstr("got the name \"\""));
}

TEST(SampledFunction, ThatThrowsStopsTheRunOrCountsAsZeroAsAsked) {
  const auto half = [](const Vector& theta) {
    if (theta[0] > 1.5) throw std::runtime_error("mesh is tangled");
    return plane(theta);
  };
  EXPECT_THAT(said_by<ModelFailure>([&] { sample(half, plane_parameters, small({})); }),
              AllOf(HasSubstr("the model failed at u = "), HasSubstr("mesh is tangled")));
  const SampleResult found = sample(half, plane_parameters, small({.on_failure = "reject"}));
  EXPECT_EQ(found.ending, Ending::complete);
  EXPECT_LE(found.draws.parameter(0).maxCoeff(), 1.5);
}

TEST(SampleBudget, EndsTheRunWithTheDrawsSoFar) {
  const SampleResult found = sample(plane, plane_parameters, {.warmup = 50, .budget = {.evaluations = 300}});
  EXPECT_EQ(found.ending, Ending::evaluations_spent);
  EXPECT_LE(found.calls, 300);
  EXPECT_GT(found.draws.length(0), 0);
  EXPECT_LT(found.draws.length(0), 1000);
  EXPECT_EQ(found.summary.size(), 2u);
  const SampleResult none = sample(plane, plane_parameters, {.budget = {.evaluations = 1}});
  EXPECT_TRUE(none.summary.empty());
  EXPECT_EQ(none.calls, 0);
}

TEST(SampleProgress, IsToldToTheEnd) {
  SampleOptions options = small({});
  Index last = 0, total = 0;
  options.on_progress = [&](const Progress& at) {
    EXPECT_GE(at.iterations_done, last);
    last = at.iterations_done;
    total = at.iterations_total;
  };
  sample(plane, plane_parameters, options);
  EXPECT_EQ(total, 2 * 40);  // auto counts no burn-in: it ends that by itself
  EXPECT_EQ(last, 2 * 40);
  options.method = "gp-mh";
  last = 0;
  sample(plane, plane_parameters, options);
  EXPECT_EQ(total, 2 * 80);
  EXPECT_GT(last, 2 * 40);
}

TEST(SampleExport, HasTheDrawsAndWhatWasPaidForThem) {
  const Folder folder;
  const SampleResult found =
      sample(plane, plane_parameters, small({.name = "plane", .store = folder / "plane.sqlite"}));
  EXPECT_EQ(sha256_of_draws(found.exported.draws), sha256_of_draws(found.draws));
  ASSERT_TRUE(found.exported.evaluations.has_value());
  EXPECT_EQ(found.exported.evaluations->theta.rows(), found.evaluations);
  EXPECT_EQ(found.exported.method, "auto");
  EXPECT_NE(found.exported.version, "");
  write_netcdf(found.exported, folder / "draws.nc", Overwrite::no);
  write_csv(found.exported, folder / "draws.csv", Overwrite::no);
  const std::string csv = scratch::contents(folder / "draws.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 40);
  EXPECT_GT(std::filesystem::file_size(folder / "draws.nc"), 2 * 2 * 40 * sizeof(double));
  EXPECT_FALSE(sample(plane, plane_parameters, small({})).exported.evaluations.has_value());
}

TEST(SampleExport, HasTheBurnInThatTheChainsMade) {
  SampleOptions options = small({.method = "mh"});
  options.warmup = 25;
  const Export plain = sample(plane, plane_parameters, options).exported;
  ASSERT_TRUE(plain.warmup.has_value());
  EXPECT_EQ(plain.warmup_iterations, 25);
  EXPECT_EQ(plain.warmup->chains(), plain.draws.chains());
  EXPECT_EQ(plain.warmup->length(0), 25);
  EXPECT_EQ(plain.warmup->names(), plain.draws.names());
  // A chain's first kept draw is a step away from its last of burn-in.
  int stayed = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    options.seed = seed;
    const Export one = sample(plane, plane_parameters, options).exported;
    const bool same = one.warmup->chain(0).row(24) == one.draws.chain(0).row(0);
    EXPECT_EQ(same, !one.chains[0].accepted[0]);
    stayed += same;
  }
  EXPECT_GT(stayed, 0);
  EXPECT_LT(stayed, 10);
  const Export explored = sample(plane, plane_parameters, small({})).exported;
  ASSERT_TRUE(explored.warmup.has_value());
  EXPECT_EQ(explored.warmup_iterations, explored.warmup->length(0))
      << "what auto needed, not what was allowed";
  EXPECT_LT(explored.warmup_iterations, 40);
}

}  // namespace
}  // namespace hunch
