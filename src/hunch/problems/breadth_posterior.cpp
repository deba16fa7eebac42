#include "hunch/problems/breadth_posterior.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/problems/ode_problems.hpp"
#include "hunch/problems/posteriordb_problems.hpp"
#include "hunch/problems/regression_problems.hpp"
#include "hunch/problems/shape_problems.hpp"

namespace hunch {
namespace {

constexpr double easy_width = 10;  // of the prior, in posterior sds
constexpr double easy_shift = 5;   // of the prior's mean, in posterior sds

Parameters numbered_parameters(const std::vector<Prior>& priors) {
  std::vector<Parameter> list;
  for (std::size_t i = 0; i < priors.size(); ++i) {
    std::string name = "u";
    name += std::to_string(i + 1);
    list.push_back({std::move(name), priors[i]});
  }
  return Parameters(std::move(list));
}

// Sum of the log prior densities of theta, normalised.
LogFunction log_prior_of(const std::vector<Prior>& priors) {
  std::vector<PriorDensity> densities(priors.begin(), priors.end());
  return [densities = std::move(densities)](const Vector& theta) {
    double sum = 0;
    for (std::size_t i = 0; i < densities.size(); ++i)
      sum += densities[i].log_density(theta[static_cast<Index>(i)]);
    return sum;
  };
}

// a + sign * b, or minus infinity where that, or a, is no finite number.
LogFunction combined(LogFunction a, double sign, LogFunction b) {
  return [a = std::move(a), sign, b = std::move(b)](const Vector& theta) {
    const double first = a(theta);
    const double value = std::isfinite(first) ? first + sign * b(theta) : -infinity;
    return std::isfinite(value) ? value : -infinity;
  };
}

// The same for normal priors, not normalised: as posteriors are served to the sweep script.
LogFunction log_normal_kernel(const std::vector<Prior>& priors) {
  std::vector<Normal> normals;
  for (const Prior& prior : priors) normals.push_back(std::get<Normal>(prior.family));
  return [normals = std::move(normals)](const Vector& theta) {
    double squares = 0;
    for (std::size_t i = 0; i < normals.size(); ++i) {
      const double z = (theta[static_cast<Index>(i)] - normals[i].mean) / normals[i].sd;
      squares += z * z;
    }
    return -0.5 * squares;
  };
}

Half half_of(std::size_t place_in_group) {
  return place_in_group % 2 == 0 ? Half::tune : Half::report;
}

void add_fixed(std::vector<BreadthPosterior>& list, const std::string& group,
               const std::vector<FixedPriorProblem>& problems) {
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const FixedPriorProblem& problem = problems[i];
    list.push_back({problem.name, problem.name, group, PriorWidth::fixed, half_of(i),
                    numbered_parameters(problem.priors), problem.middle, problem.log_likelihood,
                    combined(problem.log_likelihood, 1, log_prior_of(problem.priors))});
  }
}

std::vector<Prior> priors_for(const BreadthReference& reference, PriorWidth width) {
  std::vector<Prior> priors;
  for (std::size_t i = 0; i < reference.mean.size(); ++i) {
    const double sd = reference.sd[i], side = i % 2 == 0 ? 1 : -1;
    if (width == PriorWidth::wide)
      priors.push_back({Normal{0, reference.wide_prior_sd.at(i)}});
    else
      priors.push_back({Normal{reference.mean[i] + side * easy_shift * sd, easy_width * sd}});
  }
  return priors;
}

void add_free(std::vector<BreadthPosterior>& list, const std::string& group,
              const std::vector<FreePriorProblem>& problems) {
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const FreePriorProblem& problem = problems[i];
    const BreadthReference& reference = breadth_reference(problem.name);
    const Vector middle = Eigen::Map<const Vector>(reference.mean.data(), problem.dimension);
    for (const PriorWidth width : {PriorWidth::wide, PriorWidth::easy}) {
      const std::vector<Prior> priors = priors_for(reference, width);
      list.push_back({problem.name + (width == PriorWidth::wide ? "-wide" : "-easy"), problem.name, group,
                      width, half_of(i), numbered_parameters(priors), middle,
                      combined(problem.log_posterior, -1, log_normal_kernel(priors)), problem.log_posterior});
    }
  }
}

std::vector<BreadthPosterior> make_all() {
  std::vector<BreadthPosterior> list;
  add_fixed(list, "ode", ode_problems());
  add_fixed(list, "shape", shape_problems());
  add_free(list, "regression", regression_problems());
  add_free(list, "posteriordb", posteriordb_problems());
  return list;
}

}  // namespace

const BreadthReference& breadth_reference(const std::string& problem) {
  for (const BreadthReference& reference : breadth_references())
    if (reference.problem == problem) return reference;
  throw std::logic_error("no reference of the name " + problem);
}

const std::vector<BreadthPosterior>& breadth_posteriors() {
  static const std::vector<BreadthPosterior> all = make_all();
  return all;
}

const BreadthPosterior& breadth_posterior(const std::string& name) {
  for (const BreadthPosterior& posterior : breadth_posteriors())
    if (posterior.name == name) return posterior;
  throw InputError("posterior \"" + name + "\": unknown; `hunch study breadth --list` lists them");
}

std::string name_of(Half half) {
  return half == Half::tune ? "tune" : "report";
}

std::string name_of(PriorWidth prior) {
  if (prior == PriorWidth::fixed) return "-";
  return prior == PriorWidth::wide ? "wide" : "easy";
}

}  // namespace hunch
