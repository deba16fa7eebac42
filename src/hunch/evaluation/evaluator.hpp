// Evaluator: the only place where money is spent: points in, outcomes out, in the same order.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "hunch/model/model.hpp"

namespace hunch {

class Pool;
class Store;

// What becomes of a theta that has failed in an earlier session.
enum class StoredFailures {
  try_again,  // earlier attempts do not count: after a failure that stopped the run, a resume tries anew
  stand,      // earlier attempts count, and a final failure is returned again, free: for runs that went on
              // after failures, whose replay must see the same ones
};

struct EvaluatorOptions {
  int workers = 1;   // evaluations under way at once, 1 or more
  int attempts = 3;  // 1 or more in all, for crash, timeout and lost; nan and protocol are never tried again
  Store* store = nullptr;
  StoredFailures stored_failures = StoredFailures::try_again;
};

// The evaluator was told to stop, and not all that was asked for is answered. Of the rest there is no outcome
// and no row: it is as if it had never been begun.
class EvaluationsAbandoned : public std::runtime_error {
 public:
  explicit EvaluationsAbandoned(int count);
  int count() const { return count_; }  // that were under way; the others had not been begun

 private:
  int count_;
};

class Evaluator {
 public:
  Evaluator(Model& model, int workers);               // no store, one attempt
  Evaluator(Model& model, EvaluatorOptions options);  // InputError if an option is out of its range
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // What the store knows is free; the rest is evaluated, equal thetas once, up to `workers` at a time.
  // The outcomes do not depend on the number of workers. Each attempt is durable in the store before its
  // outcome is returned. If the store fails, what is under way is waited for and StoreFailure thrown; if the
  // model throws, likewise, after recording what the others returned.
  // Throws EvaluationsAbandoned after begin_no_more() or abandon() unless all is answered; what is, is
  // recorded. To be called by one thread at a time; that thread does the recording.
  std::vector<Outcome> operator()(const std::vector<Vector>& thetas, Want want);

  // Both from any thread, and for good. abandon() cancels the model too: what is under way ends at once if it
  // can.
  void begin_no_more() { closed_ = true; }
  void abandon();
  int under_way() const { return under_way_; }  // from any thread: evaluations at this moment

  // Whether asking for this theta would be free.
  bool knows(const Vector& theta, Want want) const;

  std::int64_t evaluations() const { return evaluations_; }  // calls of the model, each attempt counted
  std::int64_t reused() const { return reused_; }            // points answered without a call

 private:
  struct Task {
    std::size_t point;  // which of the thetas
    int failed_before;  // attempts in earlier sessions
    int attempts;       // that may still be made
  };
  struct Delivery {
    std::size_t point;
    int attempt;
    Outcome outcome;
    double seconds;
    int worker;
  };
  struct Plan;
  class Deliveries;

  Plan plan(const std::vector<Vector>& thetas, Want want) const;
  std::optional<Outcome> known_of(const Vector& theta, Want want, Task& task) const;
  void attempt(const Task& task, const Vector& theta, Want want, int worker,
               const std::function<bool(Delivery)>& deliver);
  std::optional<Outcome> evaluate_unless_stopped(const Vector& theta, Want want);
  void evaluate_here(const std::vector<Vector>& thetas, Want want, Plan& plan);
  void evaluate_together(const std::vector<Vector>& thetas, Want want, Plan& plan);
  void evaluate_on_pool(const std::vector<Vector>& thetas, Want want, Plan& plan);
  void note_duration(const Delivery& delivery);
  void record(const std::vector<Vector>& thetas, Want want, std::vector<Delivery> deliveries, Plan& plan);

  Model& model_;
  EvaluatorOptions options_;
  std::unique_ptr<Pool> pool_;  // started when first needed
  std::int64_t evaluations_ = 0;
  std::int64_t reused_ = 0;
  bool quick_ = false;  // the last evaluation took less time than to hand it to a thread
  std::atomic<bool> closed_ = false, abandoned_ = false;
  std::atomic<int> under_way_ = 0;
  std::atomic<int> given_up_ = 0, not_begun_ = 0;  // tasks without an answer
};

}  // namespace hunch
