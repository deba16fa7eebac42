#include "memory.hpp"

#include <limits>
#include <utility>

#include "hunch/evaluation/record.hpp"

namespace hunch::python {

const Outcome* Memory::find(const Vector& theta, Want want) const {
  const auto found = by_theta_.find(bits_of(theta));
  if (found == by_theta_.end()) return nullptr;
  const Outcome* failure = nullptr;
  for (const std::size_t place : found->second) {
    const Outcome& outcome = entries_[place].outcome;
    const bool enough = want == Want::value || outcome.kind == OutcomeKind::zero || outcome.exact.gradient;
    if (outcome.answered() && enough) return &outcome;
    if (!outcome.answered() && place < failures_before_) failure = &outcome;
  }
  return failure;
}

void Memory::add(const Vector& theta, Outcome outcome) {
  by_theta_[bits_of(theta)].push_back(entries_.size());
  entries_.push_back({theta, std::move(outcome)});
}

EvaluationTable Memory::table(Index dimension) const {
  const auto count = static_cast<Index>(entries_.size());
  EvaluationTable table{Matrix(count, dimension), Vector(count), {}};
  for (Index i = 0; i < count; ++i) {
    const Entry& entry = entries_[static_cast<std::size_t>(i)];
    table.theta.row(i) = entry.theta.transpose();
    table.log_likelihood[i] = entry.outcome.answered() ? entry.outcome.exact.log_likelihood
                                                       : std::numeric_limits<double>::quiet_NaN();
    table.outcome.emplace_back(name_of(entry.outcome.kind));
  }
  return table;
}

RememberedModel::RememberedModel(Model& model, Memory& memory) : model_(model), memory_(memory) {
  memory_.begin_session();
}

Outcome RememberedModel::evaluate(const Vector& theta, Want want) {
  {
    const std::lock_guard lock(mutex_);
    if (const Outcome* known = memory_.find(theta, want)) return *known;
    ++calls_;
  }
  Outcome outcome = model_.evaluate(theta, want);
  const std::lock_guard lock(mutex_);
  memory_.add(theta, outcome);
  return outcome;
}

std::vector<Outcome> RememberedModel::evaluate_all(const std::vector<Vector>& thetas, Want want) {
  const std::lock_guard lock(mutex_);
  std::vector<Outcome> outcomes(thetas.size());
  std::vector<std::size_t> places;
  std::vector<Vector> unknown;
  for (std::size_t i = 0; i < thetas.size(); ++i) {
    if (const Outcome* known = memory_.find(thetas[i], want)) {
      outcomes[i] = *known;
    } else {
      places.push_back(i);
      unknown.push_back(thetas[i]);
    }
  }
  if (unknown.empty()) return outcomes;
  calls_ += static_cast<std::int64_t>(unknown.size());
  std::vector<Outcome> answers = model_.evaluate_all(unknown, want);
  for (std::size_t i = 0; i < places.size(); ++i) {
    memory_.add(unknown[i], answers[i]);
    outcomes[places[i]] = std::move(answers[i]);
  }
  return outcomes;
}

}  // namespace hunch::python
