// Evaluator: the only place where money is spent: points in, outcomes out, in the same order.
#pragma once

#include <cstdint>
#include <vector>

#include "hunch/model/model.hpp"

namespace hunch {

class Evaluator {
 public:
  Evaluator(Model& model, int workers);

  // Evaluates all thetas, up to `workers` at a time. The answers do not depend on the number of workers.
  std::vector<Outcome> operator()(const std::vector<Vector>& thetas, Want want);

  std::int64_t evaluations() const { return evaluations_; }

 private:
  Model& model_;
  int workers_;
  std::int64_t evaluations_ = 0;
};

}  // namespace hunch
