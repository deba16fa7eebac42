// Models that are asked where the caller is, or for all points of a round at once: same outcomes, same rows.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "evaluation/scratch.hpp"
#include "hunch/evaluation/evaluator.hpp"

namespace hunch {
namespace {

using scratch::epidemic;
using scratch::Folder;

// Remembers who asked for what; fails at the points it is told to, so many times.
class AskedModel final : public Model {
 public:
  explicit AskedModel(Asked how) : how_(how) {}

  Capabilities capabilities() const override { return {.gradient = false}; }
  Asked asked() const override { return how_; }
  Outcome evaluate(const Vector& theta, Want) override {
    askers.insert(std::this_thread::get_id());
    ++alone;
    return said_of(theta);
  }
  std::vector<Outcome> evaluate_all(const std::vector<Vector>& thetas, Want) override {
    askers.insert(std::this_thread::get_id());
    calls.push_back(thetas.size());
    std::vector<Outcome> outcomes;
    for (const Vector& theta : thetas) outcomes.push_back(said_of(theta));
    return outcomes;
  }

  std::set<std::thread::id> askers;
  std::vector<std::size_t> calls;
  int alone = 0;
  std::map<std::string, int> failures_left;

 private:
  Outcome said_of(const Vector& theta) {
    if (failures_left[bits_of(theta)]-- > 0) return {OutcomeKind::crash, {}, "on purpose"};
    return {OutcomeKind::value, {-0.5 * theta.squaredNorm(), std::nullopt}, ""};
  }

  Asked how_;
};

std::vector<Vector> points(Index count) {
  std::vector<Vector> thetas;
  for (Index i = 1; i <= count; ++i) thetas.push_back(scratch::theta_of(i));
  return thetas;
}

// Whatever else the machine does: most batches, not all.
TEST(AskedAnywhere, IsDoneByTheCallerOnceEvaluationsProveToBeQuick) {
  AskedModel model(Asked::anywhere);
  Evaluator evaluator(model, 2);
  int by_caller = 0;
  for (Index i = 0; i < 50; ++i) {
    model.askers.clear();
    evaluator({scratch::theta_of(2 * i + 1), scratch::theta_of(2 * i + 2)}, Want::value);
    by_caller += model.askers == std::set{std::this_thread::get_id()};
  }
  EXPECT_GT(by_caller, 25);
}

TEST(AskedTogether, IsOneCallForEachRoundWithoutWhatIsKnown) {
  const Folder folder;
  Store store(folder / "s", epidemic, Durability::relaxed);
  AskedModel model(Asked::together);
  Evaluator evaluator(model, {.workers = 1, .store = &store});
  evaluator(points(3), Want::value);
  auto thetas = points(5);
  thetas.push_back(thetas[4]);
  const auto outcomes = evaluator(thetas, Want::value);
  EXPECT_EQ(model.calls, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(model.alone, 0);
  EXPECT_EQ(evaluator.evaluations(), 5);
  EXPECT_EQ(store.size(), 5);
  for (std::size_t i = 0; i < thetas.size(); ++i)
    EXPECT_EQ(outcomes[i].exact.log_likelihood, -0.5 * thetas[i].squaredNorm());
  EXPECT_EQ(evaluator(points(5), Want::value).size(), 5u);
  EXPECT_EQ(model.calls.size(), 2u);
}

TEST(AskedTogether, TriesOnlyWhatFailedAgainAndRecordsEachAttempt) {
  const Folder folder;
  Store store(folder / "s", epidemic, Durability::relaxed);
  AskedModel model(Asked::together);
  const auto thetas = points(4);
  model.failures_left[bits_of(thetas[1])] = 1;
  model.failures_left[bits_of(thetas[2])] = 9;
  Evaluator evaluator(model, {.workers = 1, .attempts = 3, .store = &store});
  const auto outcomes = evaluator(thetas, Want::value);
  EXPECT_TRUE(outcomes[1].answered());
  EXPECT_EQ(outcomes[2].kind, OutcomeKind::crash);
  EXPECT_EQ(model.calls, (std::vector<std::size_t>{4}));
  EXPECT_EQ(model.alone, 1 + 2);
  EXPECT_EQ(evaluator.evaluations(), 7);
  EXPECT_EQ(store.size(), 7);
  EXPECT_EQ(store.failed_attempts(thetas[1], Want::value), 1);
  EXPECT_EQ(store.failed_attempts(thetas[2], Want::value), 3);
  EXPECT_EQ(store.all().back().attempt, 3);
}

TEST(AskedTogether, BeginsNothingOnceItIsToldToStop) {
  AskedModel model(Asked::together);
  Evaluator evaluator(model, 1);
  evaluator.begin_no_more();
  EXPECT_THROW(evaluator(points(3), Want::value), EvaluationsAbandoned);
  EXPECT_TRUE(model.calls.empty());
}

TEST(AskedHere, IsAskedByTheCallersThreadWithAStoreToo) {
  for (const Asked how : {Asked::here, Asked::together}) {
    const Folder folder;
    Store store(folder / "s", epidemic, Durability::relaxed);
    AskedModel model(how);
    Evaluator evaluator(model, {.workers = 1, .store = &store});
    evaluator(points(6), Want::value);
    EXPECT_EQ(model.askers, std::set{std::this_thread::get_id()});
  }
}

}  // namespace
}  // namespace hunch
