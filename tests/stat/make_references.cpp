// Makes the reference posteriors: moments by very long runs of a plain random walk that shares no code with
// the samplers under test, written as JSON to the file named on the command line.
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/diagnostics/convergence.hpp"
#include "hunch/diagnostics/pooled.hpp"
#include "hunch/problems/problem.hpp"

namespace hunch::stat {
namespace {

// Iterations of each chain.
struct Length {
  Index adapting;  // not kept
  Index kept;
};

// T3's evaluations are dear.
Length length_of(const std::string& name) {
  return name == "T3" ? Length{5000, 25000} : Length{40000, 500000};
}

constexpr std::uint32_t chains = 4;
constexpr std::uint64_t seed = 20260301;

double log_posterior(const Problem& problem, const Vector& position) {
  const double log_prior = problem.parameters.log_prior(position);
  if (!(log_prior > -infinity)) return -infinity;
  return log_prior + problem.evaluate(problem.parameters.theta(position), Want::value).log_likelihood;
}

// The covariance of a chain's past, learned over the first part of its adaptation and used from then on.
struct Past {
  Index count = 0;
  Vector mean;
  Matrix squares;

  explicit Past(Index d) : mean(Vector::Zero(d)), squares(Matrix::Zero(d, d)) {}
  void add(const Vector& position) {
    const Vector step = position - mean;
    mean += step / static_cast<double>(++count);
    squares += step * (position - mean).transpose();
  }
  Matrix factor() const {
    const Matrix covariance = squares / static_cast<double>(count - 1);
    return covariance.llt().matrixL();
  }
};

// Kept draws of one chain, in theta: draws x parameters. The walk's shape and scale are fixed before they
// begin.
Matrix walk(const Problem& problem, std::uint32_t chain) {
  const auto [adapting, kept] = length_of(problem.name);
  const Index d = problem.parameters.dimension();
  Matrix shape = 0.1 * Matrix::Identity(d, d);
  double log_scale = std::log(2.38 / std::sqrt(static_cast<double>(d)));
  Past past(d);
  Vector here = problem.parameters.position(problem.truth);
  double density = log_posterior(problem, here);
  Matrix draws(kept, d);
  for (Index i = 0; i < adapting + kept; ++i) {
    Rng rng({seed, chain, static_cast<std::uint64_t>(i), Purpose::test});
    const Vector there = here + std::exp(log_scale) * (shape * rng.normal(d));
    const double density_there = log_posterior(problem, there);
    const bool accepted = std::log(rng.uniform()) < density_there - density;
    if (accepted) {
      here = there;
      density = density_there;
    }
    if (i < adapting) {
      log_scale += std::pow(static_cast<double>(i) + 1, -0.6) * ((accepted ? 1 : 0) - 0.28);
      past.add(here);
      if (i + 1 == adapting / 10 || i + 1 == adapting / 2) {
        shape = past.factor();
        past = Past(d);
      }
    } else {
      draws.row(i - adapting) = problem.parameters.theta(here).transpose();
    }
  }
  return draws;
}

nlohmann::ordered_json reference(const std::string& name) {
  const Problem problem = make_problem(name, {.seed = 1, .simulation = 0});
  std::vector<Matrix> walks;
  for (std::uint32_t chain = 0; chain < chains; ++chain) walks.push_back(walk(problem, chain));
  auto parameters = nlohmann::ordered_json::array();
  for (Index p = 0; p < problem.parameters.dimension(); ++p) {
    Matrix x(walks.front().rows(), chains);
    for (std::uint32_t chain = 0; chain < chains; ++chain) x.col(chain) = walks[chain].col(p);
    parameters.push_back({{"name", problem.parameters.list()[p].name},
                          {"mean", mean(x).value()},
                          {"mcse_mean", mcse_mean(x).value()},
                          {"sd", sd(x).value()},
                          {"mcse_sd", mcse_sd(x).value()},
                          {"ess_mean", ess_mean(x).value()},
                          {"ess_squares", ess_squares(x).value()},
                          {"rhat", rhat(x).value()}});
    std::cerr << name << ' ' << parameters.back().dump() << '\n';
  }
  return parameters;
}

}  // namespace
}  // namespace hunch::stat

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr
        << "usage: make_references FILE [PROBLEM...]   (the problems named anew, the others as stored)\n";
    return 2;
  }
  std::vector<std::string> names(arguments + 2, arguments + count);
  nlohmann::ordered_json references;
  if (names.empty())
    names = {"T1", "T2", "T3", "T4", "T5"};
  else
    std::ifstream(arguments[1]) >> references;
  for (const std::string& name : names) references[name] = hunch::stat::reference(name);
  std::ofstream file(arguments[1]);
  file << references.dump(1) << '\n';
  return file.flush() ? 0 : 1;
}
