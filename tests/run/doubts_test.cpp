// What a run says of itself where no diagnostic of its draws can: nothing of a good posterior, and the reason
// where the bulk was not found, a tail is too heavy, or the surrogate has not learned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hunch/hunch.hpp"
#include "hunch/run/draws_status.hpp"

namespace hunch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<SampleParameter> plane = {{"x", "normal(0, 3)", std::nullopt},
                                            {"y", "normal(0, 3)", std::nullopt}};

TEST(Doubts, ThereIsNoneAboutANormalPosterior) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SampleResult result =
        sample([](const Vector& z) { return -0.5 * z.squaredNorm(); }, plane, {.draws = 250, .seed = seed});
    EXPECT_THAT(result.doubts, IsEmpty()) << seed;
    EXPECT_EQ(result.draws.length(0), 250);
  }
}

// It rises without end, ever faster: no proper posterior.
TEST(Doubts, SayThatTheBulkWasNotFoundAndThereAreNoDraws) {
  const SampleResult result =
      sample([](const Vector& z) { return z.array().pow(4).sum(); }, plane, {.draws = 50});
  EXPECT_THAT(result.doubts, ElementsAre(HasSubstr("not at the bulk")));
  EXPECT_THAT(result.summary, IsEmpty());
  EXPECT_FALSE(result.milestones.learned);
  EXPECT_LE(result.evaluations, 1300);  // twice 600, and some to begin with
}

// A lognormal so wide that its sd rests on the largest of a million draws; the second parameter is normal.
TEST(Doubts, NameTheParameterWhoseSdMeansNothing) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SampleResult result =
        sample([](const Vector& z) { return -0.5 * z[1] * z[1]; },
               {{"x", "lognormal(0, 2.5)", std::nullopt}, {"y", "normal(0, 3)", std::nullopt}},
               {.method = "mh", .draws = 5000, .seed = seed});
    EXPECT_THAT(result.doubts, ElementsAre(HasSubstr("the sd of x"))) << seed;
  }
}

// Ripples of 4 nats: no run of these may be relied on, and most say that the surrogate is the reason.
TEST(Doubts, SayThatTheSurrogateHasNotLearned) {
  int named = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const SampleResult result = sample(
        [](const Vector& z) {
          return -0.5 * z.squaredNorm() + 4 * std::sin(40 * z[0]) * std::sin(37 * z[1]);
        },
        plane, {.draws = 250, .seed = seed});
    EXPECT_NE(draws_status(result.certificate, result.doubts, result.ending, result.summary, 4),
              DrawsStatus::usable)
        << seed;
    for (const std::string& doubt : result.doubts)
      named += doubt.find("the surrogate still errs by") != std::string::npos;
  }
  EXPECT_GE(named, 2);
}

}  // namespace
}  // namespace hunch
