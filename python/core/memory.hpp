// Memory: the evaluations of a run that is kept in this process alone, so that going on with it is free.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "hunch/draws/export.hpp"
#include "hunch/model/model.hpp"

namespace hunch::python {

class Memory {
 public:
  // The earliest answer for exactly these bits that holds what is wanted; or a failure of an earlier session,
  // so that a run that went on after it meets it again.
  const Outcome* find(const Vector& theta, Want want) const;
  void add(const Vector& theta, Outcome outcome);
  void begin_session() { failures_before_ = entries_.size(); }
  bool empty() const { return entries_.empty(); }
  EvaluationTable table(Index dimension) const;

 private:
  struct Entry {
    Vector theta;
    Outcome outcome;
  };
  std::vector<Entry> entries_;  // in the order in which they were made
  std::unordered_map<std::string, std::vector<std::size_t>> by_theta_;
  std::size_t failures_before_ = 0;
};

// A model that is not asked twice.
class RememberedModel final : public Model {
 public:
  RememberedModel(Model& model, Memory& memory);

  Capabilities capabilities() const override { return model_.capabilities(); }
  Asked asked() const override { return model_.asked(); }
  void cancel() override { model_.cancel(); }
  Outcome evaluate(const Vector& theta, Want want) override;
  std::vector<Outcome> evaluate_all(const std::vector<Vector>& thetas, Want want) override;
  std::int64_t calls() const { return calls_; }  // of the model

 private:
  Model& model_;
  Memory& memory_;
  std::mutex mutex_;
  std::int64_t calls_ = 0;
};

}  // namespace hunch::python
