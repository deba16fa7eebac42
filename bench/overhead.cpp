// What one iteration costs of ours when the likelihood costs nothing: every method that a config may name,
// once each, as one line of JSON per case. Usage: bench_overhead FOLDER SEED [METHOD]      (stores are made
// in FOLDER and removed again)
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>

#include "hunch/config/choices.hpp"
#include "hunch/config/config.hpp"
#include "hunch/evaluation/store.hpp"
#include "hunch/run/job.hpp"
#include "hunch/run/run.hpp"

namespace {

using namespace hunch;

constexpr double correlation = 0.8;  // of neighbours; bench/overhead_peers.py has the same density

struct Case {
  std::string method;
  Index dimension;
  std::string learning;                                  // as a config writes it
  std::optional<std::filesystem::path> store_file = {};  // none: evaluations are not recorded
};

struct Lengths {
  Index warmup;
  Index draws;
};

// A stationary chain of normals with unit variances: the inverse of its covariance.
Matrix precision_of(Index d) {
  Matrix precision = Matrix::Zero(d, d);
  precision.diagonal().setConstant(1 + correlation * correlation);
  precision(0, 0) = precision(d - 1, d - 1) = 1;
  precision.diagonal<1>().setConstant(-correlation);
  precision.diagonal<-1>().setConstant(-correlation);
  return precision / (1 - correlation * correlation);
}

FunctionModel normal_of(Index d) {
  return {[precision = precision_of(d)](const Vector& theta, Want want) -> Exact {
            Vector gradient = -(precision * theta);
            const double value = 0.5 * theta.dot(gradient);
            if (want == Want::value) return {value, std::nullopt};
            return {value, std::move(gradient)};
          },
          {.gradient = true}};
}

// Through a config, as a user's run is made: a new method needs no word here. The command is never started.
Job job_of(const Case& one, Lengths lengths, const std::string& seed) {
  std::string text = "[model]\ncommand = [\"true\"]\ngradient = true\n[parameters]\n";
  for (Index j = 0; j < one.dimension; ++j)
    text += fmt::format("x{} = {{ prior = \"flat\", start = 0 }}\n", j + 1);
  text += fmt::format(
      "[sampler]\nmethod = \"{}\"\nlearning = \"{}\"\nchains = 1\nwarmup = {}\ndraws = {}\nseed = {}\n",
      one.method, one.learning, lengths.warmup, lengths.draws, seed);
  return make_job(parse_config(text, "overhead.toml"), ".");
}

// Stores are synced to disk for every evaluation, which hides all else: few iterations are enough for them.
Lengths lengths_of(const Case& one) {
  if (one.store_file) return {100, 100};
  const Method method = job_of(one, {1, 1}, "1").settings.method;
  if (!uses_surrogate(method)) return {1000, 100000};
  if (explores(method)) return {500, 250};
  return {1000, uses_gradient(method) ? 1000 : 5000};
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Where the books stood at some instant.
struct Instant {
  double cpu = cpu_seconds();
  std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
  Index iterations = 0;
  std::int64_t evaluations = 0;
};

void measure(const Case& one, const std::string& seed) {
  const Lengths lengths = lengths_of(one);
  const Job job = job_of(one, lengths, seed);
  FunctionModel model = normal_of(one.dimension);
  std::optional<Store> store;
  if (one.store_file) store.emplace(*one.store_file, job.identity, Durability::full);
  Evaluator evaluator(model, {.workers = 1, .store = store ? &*store : nullptr});

  const Instant start;
  std::optional<Instant> kept;  // after the first kept evaluation
  const auto on_round = [&](const Progress& at) {
    if (!kept && at.kept > 0)
      kept = Instant{.iterations = at.counts.iterations, .evaluations = at.counts.evaluated};
  };
  const RunResult result = run(job.parameters, evaluator, job.starts, job.proposal, job.settings, on_round);
  const Instant end;

  const ChainResult& chain = result.chains.at(0);
  const Index iterations = chain.warmup.iterations + chain.kept.iterations - kept.value().iterations;
  const std::int64_t evaluations = chain.warmup.evaluated + chain.kept.evaluated - kept->evaluations;
  const double at_ones = model.evaluate(Vector::Ones(one.dimension), Want::value).exact.log_likelihood;
  fmt::print(
      R"({{"who":"hunch","method":"{}","d":{},"learning":"{}","store":{},"surrogate":{},"iterations":{},)"
      R"("evaluations":{},"cpu":{:.9g},"wall":{:.9g},"warmup_cpu":{:.9g},"n":{},"at_ones":{:.15g}}})"
      "\n",
      one.method, one.dimension, one.learning, one.store_file.has_value(),
      uses_surrogate(job.settings.method), iterations, evaluations, end.cpu - kept->cpu,
      std::chrono::duration<double>(end.wall - kept->wall).count(), kept->cpu - start.cpu,
      result.emulator.size(), at_ones);
  std::fflush(stdout);
}

void measure_method(const std::string& method, const std::filesystem::path& folder, const std::string& seed) {
  const std::filesystem::path file = folder / "overhead.sqlite";
  for (Index d : {2, 5, 10}) {
    measure({method, d, "freeze"}, seed);
    if (uses_surrogate(job_of({method, d, "freeze"}, {1, 1}, seed).settings.method))
      measure({method, d, "continue"}, seed);
    measure({method, d, "freeze", file}, seed);
    std::filesystem::remove(file);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    fmt::print(stderr, "usage: bench_overhead FOLDER SEED [METHOD]\n");
    return 2;
  }
  for (const auto& [name, unused] : choices(SamplerConfig::Method{}))
    if (argc == 3 || name == argv[3]) measure_method(std::string(name), argv[1], argv[2]);
}
