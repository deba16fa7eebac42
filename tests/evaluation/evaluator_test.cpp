#include "hunch/evaluation/evaluator.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "evaluation/scratch.hpp"
#include "evaluation/unsafe_disk.hpp"
#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

using scratch::epidemic;
using scratch::Folder;
using scratch::same;

// Behaves by a script: given theta and how often it was called there, says what becomes of the evaluation.
class ScriptedModel final : public Model {
 public:
  using Script = std::function<Outcome(const Vector& theta, int call)>;
  explicit ScriptedModel(Script script) : script_(std::move(script)) {}

  Capabilities capabilities() const override { return {.gradient = true}; }
  Outcome evaluate(const Vector& theta, Want want) override {
    int call;
    {
      const std::lock_guard lock(mutex_);
      call = ++calls_at_[bits_of(theta)];
      ++calls_;
    }
    Outcome outcome = script_(theta, call);
    if (outcome.kind == OutcomeKind::value && want == Want::value_and_gradient)
      outcome.exact.gradient = -theta;
    return outcome;
  }
  int calls() const { return calls_; }

 private:
  Script script_;
  std::mutex mutex_;
  std::map<std::string, int> calls_at_;
  std::atomic<int> calls_ = 0;
};

Outcome value(double log_likelihood) {
  return {OutcomeKind::value, {log_likelihood, std::nullopt}, ""};
}

Outcome failure(OutcomeKind kind) {
  return {kind, {}, "on purpose"};
}

Outcome square(const Vector& theta, int) {
  return value(-0.5 * theta.squaredNorm());
}

std::vector<Vector> points(Index count) {
  std::vector<Vector> thetas;
  for (Index i = 1; i <= count; ++i) thetas.push_back(scratch::theta_of(i));
  return thetas;
}

TEST(Evaluator, PaysNothingTheSecondTime) {
  Folder folder;
  ScriptedModel model(square);
  std::vector<Outcome> first;
  {
    Store store(folder / "s", epidemic, Durability::full);
    Evaluator evaluator(model, {.workers = 2, .store = &store});
    first = evaluator(points(30), Want::value_and_gradient);
    EXPECT_EQ(evaluator.evaluations(), 30);
    EXPECT_EQ(evaluator.reused(), 0);
  }
  Store store(folder / "s", epidemic, Durability::full);
  Evaluator evaluator(model, {.workers = 2, .store = &store});
  const std::vector<Outcome> again = evaluator(points(30), Want::value_and_gradient);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_TRUE(same(first[i], again[i])) << i;
  evaluator(points(30), Want::value);
  EXPECT_EQ(model.calls(), 30);
  EXPECT_EQ(evaluator.evaluations(), 0);
  EXPECT_EQ(evaluator.reused(), 60);
  EXPECT_EQ(store.size(), 30);
  EXPECT_EQ(evaluator(points(31), Want::value)[30].exact.log_likelihood,
            square(scratch::theta_of(31), 1).exact.log_likelihood);
  EXPECT_EQ(model.calls(), 31);
}

TEST(Evaluator, EvaluatesEqualThetasOnce) {
  for (int workers : {1, 4}) {
    ScriptedModel model(square);
    Evaluator evaluator(model, {.workers = workers});
    std::vector<Vector> thetas = points(3);
    thetas.insert(thetas.end(), {thetas[1], thetas[0], thetas[1]});
    const std::vector<Outcome> outcomes = evaluator(thetas, Want::value);
    EXPECT_EQ(model.calls(), 3);
    EXPECT_EQ(evaluator.evaluations(), 3);
    EXPECT_EQ(evaluator.reused(), 3);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(same(outcomes[i], square(thetas[i], 1))) << i;
  }
}

TEST(Evaluator, TriesAgainWhatMayPassAndRecordsEachAttempt) {
  for (OutcomeKind kind : {OutcomeKind::crash, OutcomeKind::timeout, OutcomeKind::lost}) {
    for (std::size_t count : {1u, 5u}) {
      Folder folder;
      ScriptedModel model(
          [&](const Vector& theta, int call) { return call < 3 ? failure(kind) : square(theta, call); });
      Store store(folder / "s", epidemic, Durability::relaxed);
      Evaluator evaluator(model, {.workers = 2, .store = &store});
      const std::vector<Outcome> outcomes = evaluator(points(count), Want::value);
      for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.kind, OutcomeKind::value);
      ASSERT_EQ(store.size(), static_cast<Index>(3 * count));
      EXPECT_EQ(evaluator.evaluations(), static_cast<std::int64_t>(3 * count));
      std::map<std::string, int> last;
      for (const Record& row : store.all()) {
        EXPECT_EQ(row.attempt, ++last[bits_of(row.theta)]);
        EXPECT_EQ(row.outcome.kind, row.attempt < 3 ? kind : OutcomeKind::value);
      }
    }
  }
}

TEST(Evaluator, GivesUpAfterTheLastAttempt) {
  for (std::size_t count : {1u, 4u}) {
    ScriptedModel model([](const Vector&, int) { return failure(OutcomeKind::crash); });
    Evaluator evaluator(model, {.workers = 2});
    for (const Outcome& outcome : evaluator(points(count), Want::value))
      EXPECT_EQ(outcome.message, "on purpose");
    EXPECT_EQ(model.calls(), static_cast<int>(3 * count));
  }
  ScriptedModel model([](const Vector&, int) { return failure(OutcomeKind::crash); });
  Evaluator plain(model, 2);
  plain(points(4), Want::value);
  EXPECT_EQ(model.calls(), 4);
}

TEST(Evaluator, DoesNotTryAgainWhatWouldFailAgain) {
  for (OutcomeKind kind : {OutcomeKind::nan, OutcomeKind::protocol, OutcomeKind::zero}) {
    ScriptedModel model([&](const Vector&, int) { return Outcome{kind, {-infinity, std::nullopt}, ""}; });
    Evaluator evaluator(model, {.workers = 2});
    for (const Outcome& outcome : evaluator(points(4), Want::value)) EXPECT_EQ(outcome.kind, kind);
    EXPECT_EQ(model.calls(), 4);
  }
}

// Without a worker or an attempt nothing is evaluated, and what is returned would look like an answer.
TEST(Evaluator, RefusesToWorkWithoutWorkersOrAttempts) {
  ScriptedModel model(square);
  EXPECT_THROW(Evaluator(model, 0), InputError);
  EXPECT_THROW(Evaluator(model, {.workers = 1, .attempts = 0}), InputError);
}

// A run that stopped at a failure, mended and resumed, tries again; one that went on after it must replay it.
TEST(Evaluator, AFailureOfAnEarlierSessionIsTriedAgainOrStands) {
  Folder folder;
  ScriptedModel broken(
      [](const Vector& theta, int) { return failure(theta[0] > 0 ? OutcomeKind::crash : OutcomeKind::nan); });
  const std::vector<Vector> thetas = {Vector{{1.0}}, Vector{{-1.0}}};
  bool known = true;  // at the begin of the last session
  const auto session = [&](Model& model, int attempts, StoredFailures failures) {
    Store store(folder / "s", epidemic, Durability::relaxed);
    Evaluator evaluator(model,
                        {.workers = 1, .attempts = attempts, .store = &store, .stored_failures = failures});
    known = evaluator.knows(thetas[0], Want::value);
    return evaluator(thetas, Want::value);
  };
  session(broken, 2, StoredFailures::stand);  // as if killed before the third attempt
  EXPECT_EQ(broken.calls(), 2 + 1);
  session(broken, 3, StoredFailures::stand);
  EXPECT_EQ(broken.calls(), 3 + 1);
  EXPECT_FALSE(known);  // one attempt was left
  ScriptedModel mended(square);
  const std::vector<Outcome> standing = session(mended, 3, StoredFailures::stand);
  EXPECT_EQ(mended.calls(), 0);
  EXPECT_TRUE(known);
  EXPECT_EQ(standing[0].kind, OutcomeKind::crash);
  EXPECT_EQ(standing[0].message, "on purpose");
  EXPECT_EQ(standing[1].kind, OutcomeKind::nan);
  const std::vector<Outcome> anew = session(mended, 3, StoredFailures::try_again);
  EXPECT_EQ(mended.calls(), 2);
  EXPECT_FALSE(known);
  EXPECT_EQ(anew[0].kind, OutcomeKind::value);
  Store store(folder / "s", epidemic, Durability::relaxed);
  EXPECT_EQ(store.all().back().attempt + store.all()[store.size() - 2].attempt, 4 + 2);
}

// What nobody asked for is dropped before it is used, for the store would not give it back in a replay.
TEST(Evaluator, AnUnwantedGradientIsNotPassedOn) {
  FunctionModel model([](const Vector& theta, Want) { return Exact{1.0, theta}; }, {.gradient = true});
  Evaluator evaluator(model, 1);
  EXPECT_FALSE(evaluator(points(1), Want::value)[0].exact.gradient);
  EXPECT_TRUE(evaluator(points(1), Want::value_and_gradient)[0].exact.gradient);
}

TEST(Evaluator, ResultsThatArriveTogetherShareATransaction) {
  Folder folder;
  scratch::UnsafeDisk disk;
  disk.delay_syncs(std::chrono::milliseconds(5));  // long enough for all of them to arrive
  ScriptedModel model(square);
  Store store(folder / "s", epidemic, Durability::full);
  Evaluator evaluator(model, {.workers = 8, .store = &store});
  evaluator(points(200), Want::value);
  EXPECT_EQ(store.size(), 200);
  EXPECT_LE(store.transactions(), 50);
}

// The second of two ends only when the first is in the file: it is not kept waiting for company.
TEST(Evaluator, AResultThatArrivesAloneIsRecordedAtOnce) {
  Folder folder;
  Store store(folder / "s", epidemic, Durability::full);
  const std::string before = scratch::contents(folder / "s");
  ScriptedModel model([&](const Vector& theta, int call) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (theta[0] > 0 && scratch::contents(folder / "s") == before &&
           std::chrono::steady_clock::now() < give_up)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return square(theta, call);
  });
  Evaluator evaluator(model, {.workers = 2, .store = &store});
  evaluator({Vector{{-1.0}}, Vector{{1.0}}}, Want::value);
  EXPECT_EQ(store.transactions(), 2);
}

TEST(Evaluator, OutcomesDoNotDependOnWorkersOrDelays) {
  const auto script = [](const Vector& theta, int call) {
    Rng rng({static_cast<std::uint64_t>(call), 0, std::hash<std::string>{}(bits_of(theta)), Purpose::test});
    const double u = rng.uniform();
    if (u < 0.25) return failure(OutcomeKind::crash);
    if (u < 0.3) return failure(OutcomeKind::nan);
    if (u < 0.4) return Outcome{OutcomeKind::zero, {-infinity, std::nullopt}, ""};
    return value(rng.normal());
  };
  std::vector<Outcome> expected;
  for (int workers : {1, 2, 4, 8}) {
    Folder folder;
    Store store(folder / "s", epidemic, Durability::relaxed);
    ScriptedModel model([&](const Vector& theta, int call) {
      Rng rng(
          {static_cast<std::uint64_t>(workers), 0, std::hash<std::string>{}(bits_of(theta)), Purpose::test});
      std::this_thread::sleep_for(std::chrono::microseconds(rng.below(1500)));
      return script(theta, call);
    });
    Evaluator evaluator(model, {.workers = workers, .store = &store});
    std::vector<Outcome> outcomes;
    const std::vector<Vector> thetas = points(120);
    for (std::size_t begin = 0; begin < thetas.size(); begin += 12)
      for (Outcome& outcome :
           evaluator({thetas.begin() + begin, thetas.begin() + begin + 12}, Want::value_and_gradient))
        outcomes.push_back(std::move(outcome));
    if (expected.empty()) expected = outcomes;
    for (std::size_t i = 0; i < 120; ++i) EXPECT_TRUE(same(outcomes[i], expected[i])) << workers << ", " << i;
  }
}

// What others returned is recorded even when one evaluation ends in an exception.
TEST(Evaluator, AThrowingModelLosesNobodyElsesResult) {
  Folder folder;
  Store store(folder / "s", epidemic, Durability::full);
  ScriptedModel model([](const Vector& theta, int call) {
    if (theta[0] == 0) throw InputError("stop everything");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return square(theta, call);
  });
  Evaluator evaluator(model, {.workers = 3, .store = &store});
  EXPECT_THROW(evaluator({Vector{{1.0}}, Vector{{2.0}}, Vector{{0.0}}, Vector{{3.0}}}, Want::value),
               InputError);
  EXPECT_GE(store.size(), model.calls() - 1);
  EXPECT_EQ(evaluator.evaluations(), store.size());
}

// Answers negative thetas; all others only when it is cancelled, and then as lost.
class HangingModel final : public Model {
 public:
  Capabilities capabilities() const override { return {.gradient = false}; }
  Outcome evaluate(const Vector& theta, Want) override {
    if (theta[0] < 0) return square(theta, 1);
    cancelled_.wait(false);
    return failure(OutcomeKind::lost);
  }
  void cancel() override {
    cancelled_ = true;
    cancelled_.notify_all();
  }

 private:
  std::atomic<bool> cancelled_ = false;
};

// It is as if what was abandoned had never been begun: no row, no further attempt, no outcome to be mistaken
// for one.
TEST(Evaluator, AbandonedEvaluationsLeaveNoTraceAndAnsweredOnesStay) {
  for (const std::size_t hanging : {1u, 5u}) {
    Folder folder;
    Store store(folder / "s", epidemic, Durability::relaxed);
    HangingModel model;
    Evaluator evaluator(model, {.workers = 2, .store = &store});
    std::vector<Vector> thetas(hanging, Vector{{1.0}});
    for (std::size_t i = 0; i < hanging; ++i) thetas[i][0] += static_cast<double>(i);
    if (hanging > 1) thetas.insert(thetas.begin(), Vector{{-1.0}});
    std::jthread impatient([&] {
      while (evaluator.under_way() < (hanging > 1 ? 2 : 1)) std::this_thread::yield();
      evaluator.abandon();
    });
    const std::string said = scratch::said_by<EvaluationsAbandoned>([&] { evaluator(thetas, Want::value); });
    EXPECT_EQ(said, hanging > 1 ? "2 evaluations were abandoned" : "1 evaluation was abandoned");
    EXPECT_EQ(store.size(), hanging > 1 ? 1 : 0);
    EXPECT_EQ(store.failed_attempts(thetas.back(), Want::value), 0);
    EXPECT_EQ(evaluator.under_way(), 0);
    EXPECT_THROW(evaluator({Vector{{9.0}}}, Want::value), EvaluationsAbandoned);
  }
}

// With five to go and two workers, those two are waited for and recorded, and the other three are not begun.
TEST(Evaluator, BeginsNoMoreWhenToldTo) {
  Folder folder;
  Store store(folder / "s", epidemic, Durability::relaxed);
  std::atomic<bool> closed = false;
  ScriptedModel model([&](const Vector& theta, int call) {
    closed.wait(false);
    return square(theta, call);
  });
  Evaluator evaluator(model, {.workers = 2, .store = &store});
  std::jthread impatient([&] {
    while (evaluator.under_way() < 2) std::this_thread::yield();
    evaluator.begin_no_more();
    closed = true;
    closed.notify_all();
  });
  EXPECT_EQ(scratch::said_by<EvaluationsAbandoned>([&] { evaluator(points(5), Want::value); }),
            "stopped in the middle of a round");
  EXPECT_EQ(model.calls(), 2);
  EXPECT_EQ(store.size(), 2);
}

// What cannot be cancelled is waited for; then there is nothing to abandon.
TEST(Evaluator, AnAnswerThatComesInSpiteOfAllIsKept) {
  Folder folder;
  Store store(folder / "s", epidemic, Durability::relaxed);
  Evaluator* told = nullptr;
  FunctionModel model(
      [&](const Vector& theta, Want) {
        told->abandon();
        return Exact{theta.sum(), std::nullopt};
      },
      {.gradient = false});
  Evaluator evaluator(model, {.workers = 1, .store = &store});
  told = &evaluator;
  EXPECT_EQ(evaluator({Vector{{2.0}}}, Want::value)[0].exact.log_likelihood, 2.0);
  EXPECT_EQ(store.size(), 1);
}

}  // namespace
}  // namespace hunch
