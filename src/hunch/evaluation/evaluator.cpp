#include "hunch/evaluation/evaluator.hpp"

#include "hunch/evaluation/parallel.hpp"

namespace hunch {

Evaluator::Evaluator(Model& model, int workers) : model_(model), workers_(workers) {}

std::vector<Outcome> Evaluator::operator()(const std::vector<Vector>& thetas, Want want) {
  std::vector<Outcome> outcomes(thetas.size());
  for_each_index(static_cast<Index>(thetas.size()), workers_,
                 [&](Index i) { outcomes[i] = model_.evaluate(thetas[i], want); });
  evaluations_ += static_cast<std::int64_t>(thetas.size());
  return outcomes;
}

}  // namespace hunch
