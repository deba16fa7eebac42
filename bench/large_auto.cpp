// What a kept draw of auto costs beside the likelihood once n evaluations are made: one run, one line of JSON
// for each n. Usage: bench_large_auto DIMENSION SEED
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "hunch/config/config.hpp"
#include "hunch/run/job.hpp"
#include "hunch/run/run.hpp"

namespace {

using namespace hunch;

constexpr Index chains = 4;
constexpr Index draws = 2700;  // of each chain: past 10,000 evaluations in all
const std::vector<std::int64_t> sizes{250, 1000, 4000, 10000};

// The density of bench/rippled_walk.hpp.
FunctionModel rippled() {
  return {[](const Vector& z, Want) -> Exact {
            double sum = -0.5 * z.squaredNorm();
            for (Index j = 0; j + 1 < z.size(); ++j) sum += 0.3 * std::sin(2 * z[j]) * z[j + 1];
            return {sum, std::nullopt};
          },
          {}};
}

Job job_of(Index dimension, const std::string& seed) {
  std::string text = "[model]\ncommand = [\"true\"]\n[parameters]\n";
  for (Index j = 0; j < dimension; ++j) text += fmt::format("x{} = {{ prior = \"normal(0, 10)\" }}\n", j + 1);
  text +=
      fmt::format("[sampler]\nmethod = \"auto\"\nchains = {}\ndraws = {}\nseed = {}\n", chains, draws, seed);
  return make_job(parse_config(text, "large.toml"), ".");
}

struct Instant {
  double cpu;
  std::int64_t evaluations;
  Index kept;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: bench_large_auto DIMENSION SEED\n");
    return 2;
  }
  const Index dimension = std::atol(argv[1]);
  const Job job = job_of(dimension, argv[2]);
  FunctionModel model = rippled();
  Evaluator evaluator(model, {.workers = 1});
  std::vector<Instant> rounds;
  const auto on_round = [&](const Progress& at) {
    rounds.push_back({static_cast<double>(std::clock()) / CLOCKS_PER_SEC, at.evaluations, chains * at.kept});
  };
  const RunResult result = run(job.parameters, evaluator, job.starts, job.proposal, job.settings, on_round);

  // From a fifth less than n evaluations to a fifth more; draws that are dropped count for nothing.
  for (const std::int64_t n : sizes) {
    double seconds = 0;
    Index kept = 0;
    for (std::size_t i = 1; i < rounds.size(); ++i) {
      if (5 * rounds[i].evaluations < 4 * n || 5 * rounds[i].evaluations > 6 * n) continue;
      seconds += rounds[i].cpu - rounds[i - 1].cpu;
      kept += std::max<Index>(0, rounds[i].kept - rounds[i - 1].kept);
    }
    fmt::print(R"({{"method":"auto","d":{},"n":{},"kept":{},"cpu":{:.9g},"remarks":{}}})"
               "\n",
               dimension, n, kept, seconds, result.remarks.size());
  }
  return 0;
}
