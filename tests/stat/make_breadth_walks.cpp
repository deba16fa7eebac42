// Walks on the posteriors of the breadth study: moments of the ODE fits and the highest log posterior of all,
// by plain random walks that share no code with the samplers under test; added to the JSON file named first
// on the command line.
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/diagnostics/convergence.hpp"
#include "hunch/diagnostics/pooled.hpp"
#include "hunch/problems/breadth_posterior.hpp"

namespace hunch::stat {
namespace {

constexpr std::uint32_t chains = 4;
constexpr std::uint64_t seed = 20261118;
constexpr Index adapting = 30000;
constexpr int climbing = 20000;

// Only the ODE fits need moments; the others' walks find the shape for the climb.
Index kept_draws(const BreadthPosterior& posterior) {
  return posterior.group == "ode" ? 250000 : 5000;
}

struct Walk {
  Matrix draws;  // theta: draws x parameters
  Matrix shape;
  Vector end;  // position
};

double log_density(const BreadthPosterior& posterior, const Vector& position) {
  const double log_prior = posterior.parameters.log_prior(position);
  if (!(log_prior > -infinity)) return -infinity;
  return log_prior + posterior.log_likelihood(posterior.parameters.theta(position));
}

Matrix factor_of(const Matrix& rows) {
  const Matrix away = rows.rowwise() - rows.colwise().mean();
  Matrix covariance = away.transpose() * away / static_cast<double>(rows.rows() - 1);
  covariance.diagonal() *= 1 + 1e-12;
  return covariance.llt().matrixL();
}

// The scale adapts to the acceptance, and the shape to the past at four times, before draws are kept.
Walk walk(const BreadthPosterior& posterior, std::uint32_t chain) {
  const Parameters& parameters = posterior.parameters;
  const Index d = parameters.dimension(), kept = kept_draws(posterior);
  Vector here = parameters.position(posterior.middle);
  double density = log_density(posterior, here);
  Walk walk{Matrix(kept, d), Matrix::Identity(d, d), here};
  for (Index i = 0; i < d; ++i) walk.shape(i, i) = 1e-3 * prior_spread(parameters.list()[i].prior).width;
  double log_scale = 0;
  Matrix past(adapting, d);
  for (Index i = 0; i < adapting + kept; ++i) {
    Rng rng({seed, chain, static_cast<std::uint64_t>(i), Purpose::test});
    const Vector there = here + std::exp(log_scale) * (walk.shape * rng.normal(d));
    const double density_there = log_density(posterior, there);
    const bool accepted = std::log(rng.uniform()) < density_there - density;
    if (accepted) {
      here = there;
      density = density_there;
    }
    if (i >= adapting) {
      walk.draws.row(i - adapting) = parameters.theta(here).transpose();
      continue;
    }
    log_scale += std::pow(static_cast<double>(i % (adapting / 5)) + 1, -0.6) * ((accepted ? 1 : 0) - 0.28);
    past.row(i) = here.transpose();
    if ((i + 1) % (adapting / 5) == 0 && i + 1 < adapting) {
      walk.shape = factor_of(past.middleRows(i + 1 - adapting / 5, adapting / 5));
      log_scale = std::log(2.38 / std::sqrt(static_cast<double>(d)));
    }
  }
  walk.end = here;
  return walk;
}

// Highest log posterior of theta that a walk uphill finds.
double climb(const BreadthPosterior& posterior, const Walk& from) {
  Vector here = from.end;
  double best = posterior.log_posterior(posterior.parameters.theta(here)), scale = 1;
  for (int i = 0; i < climbing; ++i) {
    Rng rng({seed, chains, static_cast<std::uint64_t>(i), Purpose::test});
    const Vector there = here + scale * (from.shape * rng.normal(here.size()));
    const double value = posterior.log_posterior(posterior.parameters.theta(there));
    scale = std::clamp(scale * (value > best ? 1.6 : 0.93), 1e-4, 4.0);
    if (!(value > best)) continue;
    best = value;
    here = there;
  }
  return best;
}

nlohmann::ordered_json result_for(const BreadthPosterior& posterior) {
  std::vector<Walk> walks;
  for (std::uint32_t chain = 0; chain < chains; ++chain) walks.push_back(walk(posterior, chain));
  double best = -infinity;
  for (const Walk& one : walks) best = std::max(best, climb(posterior, one));
  nlohmann::ordered_json result = {{"best", best}};
  double least = infinity, largest_rhat = 0;
  std::vector<double> means, sds, kurtoses;
  for (Index p = 0; p < posterior.parameters.dimension(); ++p) {
    Matrix x(walks.front().draws.rows(), chains);
    for (std::uint32_t chain = 0; chain < chains; ++chain) x.col(chain) = walks[chain].draws.col(p);
    means.push_back(mean(x).value());
    sds.push_back(sd(x).value());
    const Eigen::ArrayXXd z = (x.array() - means.back()) / sds.back();
    kurtoses.push_back(z.square().square().mean());
    least = std::min({least, ess_mean(x).value_or(0), ess_squares(x).value_or(0)});
    largest_rhat = std::max(largest_rhat, rhat(x).value_or(infinity));
  }
  if (posterior.group == "ode")
    result.update({{"draws", std::round(least)},
                   {"rhat", largest_rhat},
                   {"mean", means},
                   {"sd", sds},
                   {"kurtosis", kurtoses}});
  std::cerr << posterior.problem << " best " << best << " ess " << least << " rhat " << largest_rhat << '\n';
  for (std::size_t p = 0; p < means.size(); ++p)
    std::cerr << "  " << means[p] << " +- " << sds[p] << " kurtosis " << kurtoses[p] << '\n';
  return result;
}

}  // namespace
}  // namespace hunch::stat

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr << "usage: make_breadth_walks FILE [PROBLEM...]\n";
    return 2;
  }
  const std::vector<std::string> names(arguments + 2, arguments + count);
  nlohmann::ordered_json results = nlohmann::ordered_json::object();
  if (std::ifstream stored(arguments[1]); stored) stored >> results;
  for (const hunch::BreadthPosterior& posterior : hunch::breadth_posteriors()) {
    const bool named = std::find(names.begin(), names.end(), posterior.problem) != names.end();
    if (posterior.prior == hunch::PriorWidth::easy || !(names.empty() || named)) continue;
    results[posterior.problem] = hunch::stat::result_for(posterior);
  }
  std::ofstream file(arguments[1]);
  file << results.dump(1) << '\n';
  return file.flush() ? 0 : 1;
}
