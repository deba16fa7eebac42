#include "hunch/problems/study_problems.hpp"

#include <utility>

#include "hunch/problems/eight_schools.hpp"
#include "hunch/problems/hard_densities.hpp"
#include "hunch/problems/normal_density.hpp"
#include "hunch/problems/normal_mixture.hpp"

namespace hunch {
namespace {

constexpr double wide = 10;

// theta_1 .. theta_count, each with the same prior.
std::vector<Parameter> alike(Index count, const Prior& prior) {
  std::vector<Parameter> parameters;
  for (Index i = 1; i <= count; ++i) parameters.push_back({"theta_" + std::to_string(i), prior});
  return parameters;
}

Parameters wide_priors(Index count) {
  return Parameters(alike(count, {Normal{0, wide}}));
}

Problem normal(std::string name, std::string title, NormalDensity density) {
  const Vector mean = density.mean;
  return {std::move(name), std::move(title), wide_priors(mean.size()), mean,
          [density = std::move(density)](const Vector& theta, Want want) {
            return normal_log_density(density, theta, want);
          }};
}

// The heaviest peak stands for the truth.
Problem mixture(std::string name, std::string title, std::vector<Peak> peaks, const Eigen::Vector2d& truth) {
  return {std::move(name), std::move(title), wide_priors(2), truth,
          [peaks = std::move(peaks)](const Vector& theta, Want want) {
            return mixture_log_density(peaks, theta, want);
          }};
}

}  // namespace

Problem ar1_problem(const ProblemOptions&) {
  return normal("ar1-10", "AR(1) normal", ar1_density());
}

Problem eight_schools_problem(const ProblemOptions&) {
  std::vector<Parameter> parameters = {{"mu", {Normal{0, 5}}}, {"tau", {HalfCauchy{5}}}};
  for (Index i = 1; i <= school_count; ++i)
    parameters.push_back({"eta_" + std::to_string(i), {Normal{0, 1}}});
  Vector middle = Vector::Zero(school_count + 2);
  middle.head(2) << 4.4, 3.6;
  return {"eight-schools", "eight schools", Parameters(std::move(parameters)), middle,
          eight_schools_log_likelihood};
}

Problem normal_problem(const ProblemOptions&) {
  return normal("normal-20", "rotated normal", rotated_density());
}

Problem bimodal_problem(const ProblemOptions&) {
  return mixture("bimodal", "two modes", bimodal_peaks(), bimodal_peaks().back().centre);
}

Problem cliff_problem(const ProblemOptions&) {
  return {"cliff", "a jump", wide_priors(2), Vector::Zero(2), cliff_log_density};
}

Problem rough_problem(const ProblemOptions&) {
  return {"rough", "a fast wiggle", wide_priors(2), Vector::Zero(2), rough_log_density};
}

Problem funnel_problem(const ProblemOptions&) {
  std::vector<Parameter> parameters = {{"v", {Normal{0, 3}}}};
  for (Index i = 1; i < funnel_dimension; ++i)
    parameters.push_back({"x_" + std::to_string(i), {Normal{0, 30}}});
  return {"funnel", "Neal's funnel", Parameters(std::move(parameters)), Vector::Zero(funnel_dimension),
          funnel_log_density};
}

Problem spike_problem(const ProblemOptions&) {
  return mixture("spike", "a hidden spike", spike_peaks(), spike_peaks().front().centre);
}

Problem rosenbrock_problem(const ProblemOptions&) {
  return {"rosenbrock-20", "Rosenbrock", wide_priors(rosenbrock_dimension),
          Vector::Ones(rosenbrock_dimension), rosenbrock_log_density};
}

}  // namespace hunch
