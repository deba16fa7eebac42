#include "hunch/evaluation/evaluator.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "hunch/evaluation/pool.hpp"
#include "hunch/evaluation/store.hpp"

namespace hunch {

namespace {

constexpr double thread_seconds = 20e-6;  // what it costs to hand an evaluation to a thread and take it back

bool worth_another_try(OutcomeKind kind) {
  return kind == OutcomeKind::crash || kind == OutcomeKind::timeout || kind == OutcomeKind::lost;
}

// Exactly what the store would give back, so that a replay sees the same.
Outcome as_stored(Outcome outcome, Want want) {
  if (want == Want::value) outcome.exact.gradient.reset();
  if (!outcome.answered()) outcome.exact = {};
  return outcome;
}

// So many more are under way, for as long as this lives.
struct Counted {
  Counted(std::atomic<int>& counter, int by) : count(counter), more(by) { count += more; }
  ~Counted() { count -= more; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  std::atomic<int>& count;
  int more;
};

}  // namespace

EvaluationsAbandoned::EvaluationsAbandoned(int count)
    : std::runtime_error(count == 0   ? "stopped in the middle of a round"
                         : count == 1 ? "1 evaluation was abandoned"
                                      : fmt::format("{} evaluations were abandoned", count)),
      count_(count) {}

// What is known already, what must be paid for, and which points share an outcome with an earlier one.
struct Evaluator::Plan {
  std::vector<Outcome> outcomes;
  std::vector<Task> tasks;
  std::vector<std::pair<std::size_t, std::size_t>> repeats;  // (point, the earlier one)
};

// From the workers, who do not wait for the disk, to the caller, who records whatever has arrived meanwhile.
class Evaluator::Deliveries {
 public:
  explicit Deliveries(std::size_t tasks) : open_tasks_(tasks) {}

  void put(Delivery delivery) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(delivery));
    }
    arrived_.notify_one();
  }

  void end_task() {
    const std::lock_guard lock(mutex_);
    if (--open_tasks_ == 0) arrived_.notify_one();
  }

  // All that has arrived, at least one; none when all tasks have ended.
  std::vector<Delivery> take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !waiting_.empty() || open_tasks_ == 0; });
    return std::exchange(waiting_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Delivery> waiting_;
  std::size_t open_tasks_;
};

Evaluator::Evaluator(Model& model, int workers)
    : Evaluator(model, EvaluatorOptions{.workers = workers, .attempts = 1}) {}

Evaluator::Evaluator(Model& model, EvaluatorOptions options) : model_(model), options_(options) {
  if (options.workers < 1)
    throw InputError(fmt::format("workers: got {}, expected 1 or more", options.workers));
  if (options.attempts < 1)
    throw InputError(fmt::format("attempts: got {}, expected 1 or more", options.attempts));
}

Evaluator::~Evaluator() = default;

std::vector<Outcome> Evaluator::operator()(const std::vector<Vector>& thetas, Want want) {
  Plan planned = plan(thetas, want);
  reused_ += static_cast<std::int64_t>(thetas.size() - planned.tasks.size());
  // A thread would only add its own cost where nothing can overlap, or evaluations cost less than it does.
  const bool no_overlap = !options_.store || model_.asked() == Asked::here;
  const bool alone = planned.tasks.size() <= 1 || (options_.workers == 1 && no_overlap) || quick_;
  if (model_.asked() == Asked::together)
    evaluate_together(thetas, want, planned);
  else
    alone ? evaluate_here(thetas, want, planned) : evaluate_on_pool(thetas, want, planned);
  if (given_up_ + not_begun_ > 0) throw EvaluationsAbandoned(given_up_);
  for (const auto& [point, earlier] : planned.repeats) planned.outcomes[point] = planned.outcomes[earlier];
  return std::move(planned.outcomes);
}

Evaluator::Plan Evaluator::plan(const std::vector<Vector>& thetas, Want want) const {
  Plan made{std::vector<Outcome>(thetas.size()), {}, {}};
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < thetas.size(); ++i) {
    if (thetas.size() > 1) {
      const auto [earlier, first] = seen.emplace(bits_of(thetas[i]), i);
      if (!first) {
        made.repeats.emplace_back(i, earlier->second);
        continue;
      }
    }
    Task task{i, 0, options_.attempts};
    if (std::optional<Outcome> known = known_of(thetas[i], want, task))
      made.outcomes[i] = std::move(*known);
    else
      made.tasks.push_back(task);
  }
  return made;
}

// What the store says about theta, and how often it may still be tried.
std::optional<Outcome> Evaluator::known_of(const Vector& theta, Want want, Task& task) const {
  if (!options_.store) return std::nullopt;
  if (std::optional<Outcome> answer = options_.store->find(theta, want)) return answer;
  task.failed_before = options_.store->failed_attempts(theta, want);
  if (task.failed_before == 0 || options_.stored_failures == StoredFailures::try_again) return std::nullopt;
  task.attempts -= task.failed_before;
  std::optional<Outcome> failure = options_.store->last_failure(theta, want);
  if (task.attempts <= 0 || !worth_another_try(failure->kind)) return failure;
  return std::nullopt;
}

bool Evaluator::knows(const Vector& theta, Want want) const {
  Task task{0, 0, options_.attempts};
  return known_of(theta, want, task).has_value();
}

// Tries until an outcome is final, the attempts are used up, or nobody takes a delivery any more.
void Evaluator::attempt(const Task& task, const Vector& theta, Want want, int worker,
                        const std::function<bool(Delivery)>& deliver) {
  for (int k = 1; k <= task.attempts; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    std::optional<Outcome> ended = evaluate_unless_stopped(theta, want);
    if (!ended) return;
    Outcome outcome = as_stored(std::move(*ended), want);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const bool again = worth_another_try(outcome.kind);
    if (!deliver({task.point, task.failed_before + k, std::move(outcome), taken.count(), worker}) || !again)
      return;
  }
}

// Nothing when it was not begun or was abandoned. Of a failure that comes after that nobody knows whose fault
// it is.
std::optional<Outcome> Evaluator::evaluate_unless_stopped(const Vector& theta, Want want) {
  if (closed_) {
    ++not_begun_;
    return std::nullopt;
  }
  const Counted counted(under_way_, 1);
  Outcome outcome = model_.evaluate(theta, want);
  if (outcome.answered() || !abandoned_) return outcome;
  ++given_up_;
  return std::nullopt;
}

void Evaluator::abandon() {
  closed_ = abandoned_ = true;
  model_.cancel();
}

void Evaluator::evaluate_here(const std::vector<Vector>& thetas, Want want, Plan& plan) {
  for (const Task& task : plan.tasks)
    attempt(task, thetas[task.point], want, 0, [&](Delivery delivery) {
      ++evaluations_;
      note_duration(delivery);
      if (options_.store)
        record(thetas, want, {std::move(delivery)}, plan);
      else
        plan.outcomes[task.point] = std::move(delivery.outcome);
      return true;
    });
}

// With a store an evaluation waits for the disk, and others can go on meanwhile.
void Evaluator::note_duration(const Delivery& delivery) {
  quick_ = !options_.store && delivery.seconds < thread_seconds;
}

// The first attempt at all of them is one call; those that failed and may be tried again are asked one by
// one.
void Evaluator::evaluate_together(const std::vector<Vector>& thetas, Want want, Plan& plan) {
  if (plan.tasks.empty()) return;
  if (closed_) {
    not_begun_ += static_cast<int>(plan.tasks.size());
    return;
  }
  std::vector<Vector> points;
  for (const Task& task : plan.tasks) points.push_back(thetas[task.point]);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Outcome> outcomes;
  {
    const Counted counted(under_way_, static_cast<int>(points.size()));
    outcomes = model_.evaluate_all(points, want);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::vector<Delivery> deliveries;
  std::vector<Task> again;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Task& task = plan.tasks[i];
    if (abandoned_ && !outcomes[i].answered()) {
      ++given_up_;
      continue;
    }
    if (worth_another_try(outcomes[i].kind) && task.attempts > 1)
      again.push_back({task.point, task.failed_before + 1, task.attempts - 1});
    deliveries.push_back({task.point, task.failed_before + 1, as_stored(std::move(outcomes[i]), want),
                          taken.count() / static_cast<double>(points.size()), 0});
  }
  evaluations_ += static_cast<std::int64_t>(deliveries.size());
  if (!deliveries.empty()) record(thetas, want, std::move(deliveries), plan);
  plan.tasks = std::move(again);
  evaluate_here(thetas, want, plan);
}

void Evaluator::evaluate_on_pool(const std::vector<Vector>& thetas, Want want, Plan& plan) {
  if (!pool_) pool_ = std::make_unique<Pool>(options_.workers);
  Deliveries deliveries(plan.tasks.size());
  std::atomic<bool> cancelled = false;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto fail = [&] {
    const std::lock_guard lock(failure_mutex);
    if (!failure) failure = std::current_exception();
    cancelled = true;
  };
  const Pool::Work work = [&](Index index, int worker) {
    const Task& task = plan.tasks[static_cast<std::size_t>(index)];
    try {
      if (!cancelled)
        attempt(task, thetas[task.point], want, worker, [&](Delivery delivery) {
          deliveries.put(std::move(delivery));
          return !cancelled;
        });
    } catch (...) {
      fail();
    }
    deliveries.end_task();
  };
  pool_->start(static_cast<Index>(plan.tasks.size()), work);
  for (auto arrived = deliveries.take(); !arrived.empty(); arrived = deliveries.take()) {
    evaluations_ += static_cast<std::int64_t>(arrived.size());
    for (const Delivery& delivery : arrived) note_duration(delivery);
    try {
      record(thetas, want, std::move(arrived), plan);
    } catch (...) {
      fail();
    }
  }
  pool_->wait();
  if (failure) std::rethrow_exception(failure);
}

// Record, then use: an outcome is the caller's only once it is durable. A later attempt replaces an earlier.
void Evaluator::record(const std::vector<Vector>& thetas, Want want, std::vector<Delivery> deliveries,
                       Plan& plan) {
  if (options_.store) {
    std::vector<Record> records;
    for (const Delivery& delivery : deliveries)
      records.push_back({thetas[delivery.point], want, delivery.attempt, delivery.outcome, delivery.seconds,
                         delivery.worker});
    options_.store->record(records);
  }
  for (Delivery& delivery : deliveries) plan.outcomes[delivery.point] = std::move(delivery.outcome);
}

}  // namespace hunch
