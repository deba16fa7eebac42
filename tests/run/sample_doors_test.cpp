// The front door with other models than functions, runs that grow, and runs that are told to stop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>

#include "evaluation/scratch.hpp"
#include "hunch/hunch.hpp"
#include "hunch/run/digest.hpp"
#include "hunch/run/job.hpp"
#include "hunch/run/run_directory.hpp"

namespace hunch {
namespace {

using scratch::Folder;
using scratch::said_by;
using testing::HasSubstr;

double bowl(const Vector& theta) {
  return -0.5 * (theta - Vector{{1.0, -2.0}}).squaredNorm();
}

const std::vector<SampleParameter> bowl_parameters = {{"u", "normal(0, 2)"}, {"v", "normal(0, 2)"}};

SampleOptions small(SampleOptions options) {
  options.chains = 2;
  options.warmup = 40;
  options.durability = Durability::relaxed;
  return options;
}

class OwnModel final : public Model {
 public:
  Capabilities capabilities() const override { return {.gradient = false}; }
  Outcome evaluate(const Vector& theta, Want) override {
    ++asked_;
    return {OutcomeKind::value, {bowl(theta), std::nullopt}, ""};
  }
  int times_asked() const { return asked_; }

 private:
  std::atomic<int> asked_ = 0;
};

TEST(SampleModel, MakesTheDrawsThatTheFunctionMakes) {
  OwnModel model;
  const SampleResult found = sample(model, bowl_parameters, small({.draws = 60}));
  EXPECT_EQ(sha256_of_draws(found.draws),
            sha256_of_draws(sample(bowl, bowl_parameters, small({.draws = 60})).draws));
  EXPECT_EQ(found.calls, model.times_asked());
}

TEST(SampleDoor, IsOpenedAsAConfigsIsAndItsDirectoryCanBeResumedByTheProgram) {
  const Folder folder;
  std::ofstream(folder / "bowl.sh") << "while read -r u v; do echo -1.5; done\n";
  const ModelConfig door{.door = ProgramConfig{{"/bin/sh", (folder / "bowl.sh").string()}}};
  const SampleResult found = sample(door, bowl_parameters, small({.draws = 20, .directory = folder / "run"}));
  EXPECT_EQ(found.exported.evaluations->log_likelihood.maxCoeff(), -1.5);
  const RunDirectory directory = RunDirectory::open(folder / "run");
  EXPECT_NO_THROW(open_model(make_job(directory.config(), directory.base()), directory.base(), 1));
}

TEST(SampleDoor, ThatCannotBeReadAsAConfigIsRefused) {
  const ModelConfig door{.door = ServerConfig{{"ftp://nowhere"}}};
  EXPECT_THAT(said_by<InputError>([&] { sample(door, bowl_parameters, small({})); }),
              HasSubstr("model.url[0]: got \"ftp://nowhere\""));
}

TEST(ExistingRun, GrowsForThePriceOfTheNewDrawsAndTheShorterOneIsKept) {
  const Folder folder;
  SampleOptions options = small({.method = "gp-mh",
                                 .draws = 40,
                                 .name = "bowl",
                                 .directory = folder / "run",
                                 .existing = ExistingRun::extend});
  const SampleResult few = sample(bowl, bowl_parameters, options);
  options.draws = 80;
  const SampleResult more = sample(bowl, bowl_parameters, options);
  SampleOptions fresh = options;
  fresh.directory.reset();
  const SampleResult whole = sample(bowl, bowl_parameters, fresh);
  EXPECT_EQ(sha256_of_draws(more.draws), sha256_of_draws(whole.draws));
  EXPECT_LT(more.calls, whole.calls - few.calls / 2);
  EXPECT_EQ(RunDirectory::open(folder / "run.old-1").config().sampler.draws, 40);
  EXPECT_EQ(sample(bowl, bowl_parameters, options).calls, 0);
  options.draws = 40;
  EXPECT_THAT(said_by<InputError>([&] { sample(bowl, bowl_parameters, options); }),
              HasSubstr("sampler.draws: the run has 80, the config now says 40"));
}

TEST(ExistingRun, IsRefusedWhenAskedTo) {
  const Folder folder;
  const SampleOptions options =
      small({.draws = 20, .name = "bowl", .directory = folder / "run", .existing = ExistingRun::refuse});
  sample(bowl, bowl_parameters, options);
  EXPECT_THAT(said_by<InputError>([&] { sample(bowl, bowl_parameters, options); }),
              HasSubstr("holds a run already"));
}

// Answers until it is told that the run is to end, and then lets the watch see that it is still busy.
class SlowModel final : public Model {
 public:
  explicit SlowModel(int answers) : answers_(answers) {}
  Capabilities capabilities() const override { return {.gradient = false}; }
  Outcome evaluate(const Vector& theta, Want) override {
    if (--answers_ < 0) cancelled_.wait(false);
    if (cancelled_) return {OutcomeKind::lost, {}, "cancelled"};
    return {OutcomeKind::value, {bowl(theta), std::nullopt}, ""};
  }
  void cancel() override {
    cancelled_ = true;
    cancelled_.notify_all();
  }
  bool stuck() const { return answers_ < 0; }

 private:
  std::atomic<int> answers_;
  std::atomic<bool> cancelled_ = false;
};

TEST(SampleStopping, GivesWhatTheDirectoryHoldsOrElseThrows) {
  const Folder folder;
  const auto stopped = [&](SampleOptions options) {
    SlowModel model(40);
    options.stopping = [&](int) { return model.stuck() ? Stopping::at_once : Stopping::not_yet; };
    return sample(model, bowl_parameters, options);
  };
  EXPECT_THROW(stopped(small({.method = "mh", .draws = 60})), EvaluationsAbandoned);
  const SampleOptions kept =
      small({.method = "mh", .draws = 60, .name = "bowl", .directory = folder / "run"});
  const SampleResult part = stopped(kept);
  EXPECT_EQ(part.ending, Ending::interrupted);
  EXPECT_EQ(part.exported.evaluations->theta.rows(), 40);
  const SampleResult rest = sample(bowl, bowl_parameters, kept);
  EXPECT_EQ(rest.evaluations, rest.calls + 40);
  SampleOptions memory = kept;
  memory.directory.reset();
  EXPECT_EQ(sha256_of_draws(rest.draws), sha256_of_draws(sample(bowl, bowl_parameters, memory).draws));
}

TEST(SampleAudited, HasACertificateOrAReason) {
  const SampleResult found = sample(bowl, bowl_parameters, small({.draws = 200, .exactness = "audited"}));
  ASSERT_TRUE(found.certificate.has_value());
  ASSERT_EQ(found.certificate->verdict, Certificate::Verdict::passed) << found.certificate->reason;
  EXPECT_LE(*std::max_element(found.certificate->mean_bounds.begin(), found.certificate->mean_bounds.end()),
            0.05);
  EXPECT_THAT(said_by<InputError>([&] { sample(bowl, bowl_parameters, small({.tolerance = 2})); }),
              HasSubstr("sampler.tolerance"));
  EXPECT_THAT(said_by<InputError>([&] { sample(bowl, bowl_parameters, small({.exactness = "roughly"})); }),
              HasSubstr("exactness: got \"roughly\", expected one of exact, audited"));
}

}  // namespace
}  // namespace hunch
