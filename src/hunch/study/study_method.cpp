#include "hunch/study/study_method.hpp"

#include "hunch/problems/prior_start.hpp"

namespace hunch {
namespace {

constexpr Index free_draws = 20;  // times as many

}  // namespace

const std::vector<StudyMethod>& study_methods() {
  static const std::vector<StudyMethod> methods = {
      {"mh", {.method = Method::mh}},
      {"gp-mh", {.method = Method::gp_mh}},
      {"mala", {.method = Method::mala}},
      {"gp-mala", {.method = Method::gp_mala}, 5},
      {"transition", {.method = Method::transition, .learning = Learning::epochs}},
      {"auto", {.method = Method::automatic, .learning = Learning::epochs}},
      {.name = "audited",
       .settings = {.method = Method::automatic, .exactness = Exactness::audited},
       .draws_factor = free_draws},
      {"auto-gradients", {.method = Method::automatic, .learning = Learning::epochs, .gradients = true}},
      {.name = "audited-gradients",
       .settings = {.method = Method::automatic, .exactness = Exactness::audited, .gradients = true},
       .draws_factor = free_draws}};
  return methods;
}

const StudyMethod& study_method(const std::string& name) {
  std::string known;
  for (const StudyMethod& method : study_methods()) {
    if (method.name == name) return method;
    known += (known.empty() ? "" : ", ") + method.name;
  }
  throw InputError("methods: got '" + name + "', expected some of " + known);
}

Proposal first_proposal(const Parameters& parameters, Method method) {
  const Vector spread = prior_spread(parameters);
  if (uses_gradient(method)) return Langevin{0.01, spread.cwiseAbs2()};
  return RandomWalk{0.1 * spread};
}

}  // namespace hunch
