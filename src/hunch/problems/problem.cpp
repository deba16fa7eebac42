#include "hunch/problems/problem.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "hunch/problems/banana.hpp"
#include "hunch/problems/classifier.hpp"
#include "hunch/problems/logistic.hpp"
#include "hunch/problems/saturation.hpp"
#include "hunch/problems/sir.hpp"
#include "hunch/problems/study_problems.hpp"

namespace hunch {
namespace {

// Data sets of one seed and simulation differ between problems by the iteration of their address.
Rng data_rng(const ProblemOptions& options, std::uint64_t problem_number) {
  return Rng(Address{options.seed, options.simulation, problem_number, Purpose::data});
}

Problem banana(const ProblemOptions&) {
  Parameters parameters({{"x", {Flat{}}}, {"y", {Flat{}}}});
  return {"T1", "banana", std::move(parameters), banana_mean(), banana_log_density};
}

Problem saturation(const ProblemOptions& options) {
  Rng rng = data_rng(options, 2);
  Parameters parameters({{"a", {Normal{3, 1}}}, {"b", {Normal{30, 15}}}, {"log_sigma", {Normal{-2, 1}}}});
  return {"T2", "saturation curve", std::move(parameters), saturation_truth(),
          [data = draw_saturation_data(rng)](const Vector& theta, Want want) {
            return saturation_log_likelihood(data, theta, want);
          }};
}

Problem classifier(const ProblemOptions& options) {
  if (options.t3_points < 10 || options.t3_points > 5000) {
    throw InputError("t3_points: got " + std::to_string(options.t3_points) + ", expected 10..5000");
  }
  Rng rng = data_rng(options, 3);
  ClassifierData data = draw_classifier_data(rng, options.t3_points);
  const Prior prior{Normal{0, std::sqrt(10.0)}};
  Parameters parameters({{"log_l1", prior}, {"log_l2", prior}, {"log_variance", prior}});
  Vector truth = data.truth;
  return {"T3", "GP classifier", std::move(parameters), std::move(truth),
          [data = std::move(data)](const Vector& theta, Want want) {
            return classifier_log_likelihood(data, theta, want);
          }};
}

Problem sir(const ProblemOptions& options) {
  Rng rng = data_rng(options, 4);
  Parameters parameters({{"R0", {Normal{2, 3}, 1.0}},
                         {"gamma", {Lognormal{std::log(2.0), 2}}},
                         {"sigma_1", {HalfCauchy{1}}},
                         {"sigma_2", {HalfCauchy{1}}}});
  return {"T4", "SIR epidemic", std::move(parameters), sir_truth(),
          [observed = draw_sir_data(rng)](const Vector& theta, Want want) {
            return sir_log_likelihood(observed, theta, want);
          }};
}

Problem logistic_regression(const ProblemOptions& options) {
  Rng rng = data_rng(options, 5);
  LogisticData data = draw_logistic_data(rng);
  std::vector<Parameter> parameters;
  for (Index i = 0; i < data.truth.size(); ++i) {
    parameters.push_back({"beta_" + std::to_string(i), {Normal{0, 10}}});
  }
  Vector truth = data.truth;
  return {"T5", "logistic regression", Parameters(std::move(parameters)), std::move(truth),
          [data = std::move(data)](const Vector& theta, Want want) {
            return logistic_log_likelihood(data, theta, want);
          }};
}

struct Entry {
  const char* name;
  const char* alias;  // the same as the name where there is no other
  Problem (*make)(const ProblemOptions&);
};

constexpr Entry entries[] = {{"T1", "banana", banana},
                             {"T2", "saturation", saturation},
                             {"T3", "classifier", classifier},
                             {"T4", "sir", sir},
                             {"T5", "logistic", logistic_regression},
                             {"ar1-10", "ar1-10", ar1_problem},
                             {"eight-schools", "eight-schools", eight_schools_problem},
                             {"normal-20", "normal-20", normal_problem},
                             {"bimodal", "bimodal", bimodal_problem},
                             {"cliff", "cliff", cliff_problem},
                             {"rough", "rough", rough_problem},
                             {"funnel", "funnel", funnel_problem},
                             {"spike", "spike", spike_problem},
                             {"rosenbrock-20", "rosenbrock-20", rosenbrock_problem}};

bool same_word(const std::string& a, const std::string& b) {
  const auto same = [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// A theta of the wrong length is a caller's mistake, found here once for all problems.
Problem with_length_check(Problem problem) {
  problem.evaluate = [name = problem.name, dimension = problem.parameters.dimension(),
                      evaluate = std::move(problem.evaluate)](const Vector& theta, Want want) {
    if (theta.size() != dimension) {
      throw InputError("problem " + name + ": got " + std::to_string(theta.size()) +
                       " parameters, expected " + std::to_string(dimension));
    }
    return evaluate(theta, want);
  };
  return problem;
}

}  // namespace

Problem make_problem(const std::string& name, const ProblemOptions& options) {
  std::string known;
  for (const Entry& entry : entries) {
    if (same_word(name, entry.name) || same_word(name, entry.alias)) {
      return with_length_check(entry.make(options));
    }
    known += std::string(known.empty() ? "" : ", ") + entry.name;
    if (!same_word(entry.name, entry.alias)) known += std::string(" (") + entry.alias + ")";
  }
  throw InputError("problem \"" + name + "\": unknown; the known ones are " + known);
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

}  // namespace hunch
