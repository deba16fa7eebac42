#include "hunch/run/session.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>

namespace hunch {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Session : public testing::Test {
 protected:
  Session() {
    std::string name = (std::filesystem::temp_directory_path() / "hunch-session-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Session() override { std::filesystem::remove_all(folder_); }

  // With so much of a budget that it stops after `evaluations`.
  RunResult sample(const std::string& name, std::int64_t evaluations) {
    Job allowed = job_;
    allowed.settings.budget.evaluations = evaluations;
    Store store(folder_ / name, job_.identity, Durability::relaxed);
    const auto model = open_model(job_, folder_, 1);
    return run_session(allowed, *model, store, {});
  }

  std::string refusal_of_going_on(const std::string& name) {
    try {
      sample(name, 60);
    } catch (const InputError& error) {
      return error.what();
    }
    return "went on";
  }

  Index rows(const std::string& name) {
    return static_cast<Index>(read_store(folder_ / name).records.size());
  }

  // A row that this run will not ask for; `attempt` as in a Record.
  void plant(const std::string& name, const Vector& theta, int attempt) {
    Store store(folder_ / name, job_.identity, Durability::relaxed);
    store.record({{theta, Want::value, attempt, {OutcomeKind::value, {-1, std::nullopt}, ""}, 0.1, 0}});
  }

  std::filesystem::path folder_;
  static Job job_of(const std::string& method) {
    return make_job(parse_config("model.problem = \"banana\"\nsampler = { method = \"" + method +
                                     "\", chains = 2, warmup = 100, draws = 100, seed = 3 }\n",
                                 "banana.toml"),
                    ".");
  }
  Job job_ = job_of("gp-mh");
};

TEST_F(Session, GoesOnFromWhatItHasAskedForItself) {
  sample("a", 20);
  const Index before = rows("a");
  sample("a", 60);
  sample("b", 60);
  EXPECT_GT(rows("a"), before);
  EXPECT_EQ(rows("a"), rows("b"));
}

// It asks for gradients first and for values later: a resume must find both kinds of rows, and a replay must
// know where the run stopped.
TEST_F(Session, GoesOnAfterExploringWithGradientsAndBeforeItIsOver) {
  job_ = job_of("auto");
  ASSERT_TRUE(job_.settings.gradients);
  const RunResult whole = sample("whole", 150);
  for (const std::int64_t stop : {15, 60}) {
    const std::string name = "part" + std::to_string(stop);
    sample(name, stop);
    const Index paid = rows(name);
    {
      Store store(folder_ / name, job_.identity, Durability::relaxed);
      EXPECT_EQ(replay(job_, store).evaluations, paid);
    }
    const RunResult resumed = sample(name, 150);
    EXPECT_EQ(rows(name), rows("whole"));
    ASSERT_EQ(resumed.chains.size(), whole.chains.size());
    for (std::size_t chain = 0; chain < whole.chains.size(); ++chain)
      EXPECT_EQ(resumed.chains[chain].positions, whole.chains[chain].positions);
  }
}

TEST_F(Session, RefusesToPayWhenItLeavesThePathOfItsStore) {
  sample("s", 20);
  const Vector stray = Vector::Constant(job_.parameters.dimension(), 0.125);
  plant("s", stray, 1);
  const Index before = rows("s");
  const std::string said = refusal_of_going_on("s");
  EXPECT_THAT(said, AllOf(HasSubstr("1 of the " + std::to_string(before) + " points"), HasSubstr(" = 0.125"),
                          HasSubstr("--reuse " + folder_.string())));
  EXPECT_EQ(said.find('\n'), std::string::npos);
  EXPECT_EQ(rows("s"), before);
  Store store(folder_ / "s", job_.identity, Durability::relaxed);
  EXPECT_THROW(replay(job_, store), InputError);
}

TEST_F(Session, FindsNothingAmissWhenAnswersOfAnotherRunAreNotAskedFor) {
  sample("s", 20);
  plant("s", Vector::Constant(job_.parameters.dimension(), 0.125), 0);
  EXPECT_EQ(refusal_of_going_on("s"), "went on");
}

// What a killed run has of its last batch is part of the batch that is asked for next.
TEST_F(Session, GoesOnInTheMiddleOfABatch) {
  sample("whole", 60);
  const auto all = read_store(folder_ / "whole").records;
  for (std::size_t kept = 0; kept < 12; ++kept) {
    const std::string name = "part" + std::to_string(kept);
    {
      Store store(folder_ / name, job_.identity, Durability::relaxed);
      store.record({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept)});
    }
    EXPECT_EQ(refusal_of_going_on(name), "went on") << kept;
    EXPECT_EQ(rows(name), rows("whole"));
  }
}

}  // namespace
}  // namespace hunch
