// The emulator: what it keeps of each evaluation, when it fits, and what it believes afterwards.
#include "hunch/surrogate/emulator.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

// A smooth log-likelihood in two dimensions, nearly quadratic near its top of -3 at (0, 0), with its
// gradient.
double hill(const Vector& z) {
  return -3 - 0.5 * z[0] * z[0] - z[1] * z[1] - 0.6 * (1 - std::cos(z[0] + z[1]));
}

Vector hill_gradient(const Vector& z) {
  const double slope = 0.6 * std::sin(z[0] + z[1]);
  return Vector{{-z[0] - slope, -2 * z[1] - slope}};
}

Lesson lesson_at(const Vector& z) {
  return {z, hill(z), hill_gradient(z), 0};
}

// Lessons scattered normally about the top, `spread` wide.
std::vector<Lesson> lessons_about_the_top(int count, double spread, std::uint32_t stream) {
  std::vector<Lesson> lessons;
  Rng rng({7, stream, 0, Purpose::test});
  for (int i = 0; i < count; ++i) lessons.push_back(lesson_at(spread * rng.normal(2)));
  return lessons;
}

// Lessons from 1e3 to 1e6 nats down: where a chain that started far away has been.
std::vector<Lesson> lessons_from_the_tail(int count) {
  std::vector<Lesson> lessons;
  Rng rng({8, 0, 0, Purpose::test});
  for (int i = 0; i < count; ++i) {
    const double distance = std::pow(10, 1.65 + 1.35 * i / (count - 1.0));
    lessons.push_back(lesson_at(distance * rng.normal(2).normalized()));
  }
  return lessons;
}

// Learns one at a time, as a run of one chain does.
void teach(Emulator& emulator, const std::vector<Lesson>& lessons, Refit refit = Refit::allowed) {
  for (const Lesson& lesson : lessons) emulator.learn({lesson}, refit);
}

double mean_at(const Emulator& emulator, const Vector& z) {
  return emulator.pair(z, z).mean()[0];
}

// The largest error of the believed value over a grid that covers about two sds of exp(hill).
double worst_error(const Emulator& emulator) {
  double worst = 0;
  for (double x = -1.5; x <= 1.5; x += 0.25)
    for (double y = -1.2; y <= 1.2; y += 0.3) {
      const Vector z{{x, y}};
      worst = std::max(worst, std::abs(mean_at(emulator, z) - hill(z)));
    }
  return worst;
}

bool usable(const PairBelief& belief) {
  return belief.mean().allFinite();
}

class EmulatorOf : public testing::TestWithParam<Observes> {
 protected:
  Emulator fresh(EmulatorOptions options = {}) const {
    options.observes = GetParam();
    return Emulator(2, options);
  }
  int enough() const { return GetParam() == Observes::values ? 60 : 30; }
};

TEST_P(EmulatorOf, BelievesNothingBeforeItsFirstFit) {
  Emulator emulator = fresh({.first_fit = 6});
  const Vector x{{0.1, 0.2}}, y{{0.5, -0.2}};
  EXPECT_FALSE(usable(emulator.pair(x, y)));
  teach(emulator, lessons_about_the_top(5, 1, 1));
  EXPECT_FALSE(usable(emulator.pair(x, y)));
  EXPECT_FALSE(emulator.covariance().has_value());
  EXPECT_EQ(emulator.lessons(), 5);
  teach(emulator, {lesson_at(y)});
  EXPECT_TRUE(usable(emulator.pair(x, y)));
  EXPECT_TRUE(emulator.covariance().has_value());
}

TEST_P(EmulatorOf, SmoothFunctionPredictsItAtBothEndsOfAMove) {
  Emulator emulator = fresh();
  teach(emulator, lessons_about_the_top(enough(), 1.2, 2));
  EXPECT_LT(worst_error(emulator), 0.03);
  const Vector x{{0.3, -0.4}}, y{{-0.8, 0.5}};
  const PairBelief belief = emulator.pair(x, y);
  const Index half = belief.half();
  EXPECT_EQ(half, GetParam() == Observes::values ? 1 : 3);
  EXPECT_NEAR(belief.mean()[0], hill(x), 0.03);
  EXPECT_NEAR(belief.mean()[half], hill(y), 0.03);
  if (GetParam() == Observes::values_and_gradients) {
    EXPECT_LT((belief.mean().segment(1, 2) - hill_gradient(x)).cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LT((belief.mean().segment(4, 2) - hill_gradient(y)).cwiseAbs().maxCoeff(), 0.1);
  }
}

// Unsoftened, a million nats drown the ten that matter. Softened, the tail still costs some accuracy, by
// longer lengthscales and a larger signal variance; under half a nat most survivors of stage 1 pass stage 2
// all the same.
TEST_P(EmulatorOf, PointsFarDownDoNotSpoilTheTop) {
  Emulator without = fresh(), with = fresh(), unsoftened = fresh({.tail_depth = 1e9});
  const std::vector<Lesson> tail = lessons_from_the_tail(12), top = lessons_about_the_top(enough(), 1.2, 3);
  ASSERT_LT(tail.back().log_likelihood, -4e5);
  teach(without, top);
  for (Emulator* emulator : {&with, &unsoftened}) {
    teach(*emulator, tail);
    teach(*emulator, top);
  }
  EXPECT_LT(worst_error(without), 0.02);
  EXPECT_LT(worst_error(with), 0.5);
  EXPECT_GT(worst_error(unsoftened), 20 * worst_error(with));
}

// The first lesson is the best of its time and stands as it is; once better ones come, it is far down the
// tail.
TEST_P(EmulatorOf, SofteningFollowsARisingBest) {
  const EmulatorOptions options{.tail_depth = 30, .tail_softness = 10};
  Emulator rising = fresh(options), falling = fresh(options);
  const Vector far{{20.0, 10.0}};
  const std::vector<Lesson> low{lesson_at(far), lesson_at(Vector{{21.0, 10.0}}),
                                lesson_at(Vector{{20.0, 11.0}})};
  const std::vector<Lesson> top = lessons_about_the_top(8, 1, 4);
  teach(rising, low);
  EXPECT_NEAR(mean_at(rising, far), hill(far), 1);
  teach(rising, top, Refit::forbidden);

  double best = -infinity;
  for (const Lesson& lesson : top) best = std::max(best, lesson.log_likelihood);
  const double beyond = best - 30 - hill(far);
  ASSERT_GT(beyond, 200);
  EXPECT_NEAR(mean_at(rising, far), best - 30 - 10 * std::log1p(beyond / 10), 1);

  // In the order that leaves nothing to soften again, the same value is learned.
  teach(falling, top);
  teach(falling, low);
  EXPECT_NEAR(mean_at(falling, far), mean_at(rising, far), 1);
}

// The best is the one of highest posterior density: a likelihood that the prior forbids moves no tail.
TEST_P(EmulatorOf, SofteningIsMeasuredFromTheHighestPosteriorDensity) {
  Emulator emulator = fresh();
  teach(emulator, lessons_about_the_top(10, 1, 5));
  const Vector z{{0.5, 0.5}};
  const double before = mean_at(emulator, z);
  Lesson forbidden{Vector{{50.0, 50.0}}, 1e4, Vector{{0.0, 0.0}}, -1e6};
  teach(emulator, {forbidden}, Refit::forbidden);
  EXPECT_NEAR(mean_at(emulator, z), before, 0.1);
}

TEST_P(EmulatorOf, WhatIsKnownWellIsCountedButNotAdded) {
  Emulator emulator = fresh();
  teach(emulator, lessons_about_the_top(2 * enough(), 1.2, 6));
  const Index size = emulator.size();
  EXPECT_LT(size, 2 * enough());
  EXPECT_EQ(emulator.lessons(), 2 * enough());
  const std::vector<Lesson> more = lessons_about_the_top(40, 0.3, 7);
  teach(emulator, more, Refit::forbidden);
  EXPECT_EQ(emulator.size(), size);
  EXPECT_EQ(emulator.lessons(), 2 * enough() + 40);
  // A surprise is added where the emulator was sure of itself.
  Lesson surprise = lesson_at(Vector{{0.11, 0.07}});
  surprise.log_likelihood -= 0.5;
  emulator.learn({surprise}, Refit::forbidden);
  EXPECT_EQ(emulator.lessons(), 2 * enough() + 41);
}

TEST_P(EmulatorOf, ZeroToleranceKeepsMore) {
  Emulator careful = fresh({.tolerance = 0}), thrifty = fresh({.tolerance = 0.1});
  const std::vector<Lesson> lessons = lessons_about_the_top(enough(), 1.2, 6);
  teach(careful, lessons);
  teach(thrifty, lessons);
  EXPECT_GT(careful.size(), thrifty.size());
}

TEST_P(EmulatorOf, MinusInfinityTeachesNothing) {
  Emulator with = fresh(), without = fresh();
  for (const Lesson& lesson : lessons_about_the_top(20, 1, 8)) {
    with.learn({lesson, {lesson.position + Vector{{0.1, 0.1}}, -infinity, std::nullopt, 0}}, Refit::allowed);
    without.learn({lesson}, Refit::allowed);
  }
  EXPECT_EQ(with.lessons(), 20);
  EXPECT_EQ(with.size(), without.size());
  const Vector x{{0.1, 0.2}}, y{{0.4, -0.3}};
  EXPECT_EQ(with.pair(x, y).mean(), without.pair(x, y).mean());
  EXPECT_EQ(with.pair(x, y).covariance, without.pair(x, y).covariance);
}

TEST_P(EmulatorOf, RefitForbiddenKeepsTheCovarianceAndStillLearns) {
  Emulator emulator = fresh({.first_fit = 5});
  teach(emulator, lessons_about_the_top(5, 1, 9));
  const Covariance before = *emulator.covariance();
  const Vector z{{1.5, -1.0}};
  const double unsure = emulator.pair(z, z).covariance(0, 0);
  teach(emulator, lessons_about_the_top(30, 1, 10), Refit::forbidden);
  EXPECT_EQ(emulator.covariance()->lengthscales, before.lengthscales);
  EXPECT_EQ(emulator.covariance()->signal_variance, before.signal_variance);
  EXPECT_LT(emulator.pair(z, z).covariance(0, 0), unsure);
  teach(emulator, {lesson_at(z)}, Refit::allowed);
  EXPECT_NE(emulator.covariance()->lengthscales, before.lengthscales);
}

TEST_P(EmulatorOf, FitsAgainOnlyOnceItHasGrown) {
  Emulator emulator = fresh({.tolerance = 0, .first_fit = 10, .fit_growth = 1.5});
  const std::vector<Lesson> lessons = lessons_about_the_top(30, 3, 11);
  std::vector<Index> fitted_at;
  std::optional<Covariance> last;
  for (const Lesson& lesson : lessons) {
    emulator.learn({lesson}, Refit::allowed);
    if (!emulator.covariance() || (last && emulator.covariance()->lengthscales == last->lengthscales))
      continue;
    last = emulator.covariance();
    fitted_at.push_back(emulator.lessons());
  }
  EXPECT_EQ(fitted_at, (std::vector<Index>{10, 15, 23}));
}

TEST_P(EmulatorOf, SameLessonsGiveTheSameBits) {
  Emulator one = fresh(), two = fresh();
  const std::vector<Lesson> lessons = lessons_about_the_top(enough(), 1.5, 12);
  teach(one, lessons);
  teach(two, lessons);
  EXPECT_EQ(one.size(), two.size());
  Rng rng({9, 0, 0, Purpose::test});
  for (int i = 0; i < 20; ++i) {
    const Vector x = rng.normal(2), y = rng.normal(2);
    EXPECT_EQ(one.pair(x, y).mean(), two.pair(x, y).mean());
    EXPECT_EQ(one.pair(x, y).covariance, two.pair(x, y).covariance);
  }
}

// A copy is a value: what it learns later does not reach the original, so that a frozen one can be kept.
TEST_P(EmulatorOf, CopyLearnsForItselfAlone) {
  Emulator frozen = fresh();
  teach(frozen, lessons_about_the_top(12, 1, 13));
  const Vector x{{0.1, 0.2}}, y{{2.4, -1.3}};
  const PairBelief before = frozen.pair(x, y);
  Emulator copy = frozen;
  teach(copy, lessons_about_the_top(20, 1.5, 14));
  EXPECT_EQ(frozen.pair(x, y).mean(), before.mean());
  EXPECT_NE(copy.pair(x, y).mean(), before.mean());
}

// The local form's switch and neighbours as a run has them, but smaller.
TEST_P(EmulatorOf, TurnsLocalWhenItHoldsAsManyPointsAsStatedAndNotBefore) {
  Emulator emulator = fresh({.tolerance = 0, .first_fit = 10, .local = LocalForm{15, 8}});
  for (const Lesson& lesson : lessons_about_the_top(40, 2, 15)) {
    emulator.learn({lesson}, Refit::allowed);
    EXPECT_EQ(emulator.is_local(), emulator.size() >= 15);
  }
  EXPECT_TRUE(emulator.is_local());
  EXPECT_GT(emulator.size(), 15);
}

TEST_P(EmulatorOf, FewLessonsAreDenseWithTheSameBitsAsWithoutALocalForm) {
  Emulator usual = fresh(), never = fresh({.local = LocalForm{1000000, 1}});
  const std::vector<Lesson> lessons = lessons_about_the_top(2 * enough(), 2, 16);
  teach(usual, lessons);
  teach(never, lessons);
  EXPECT_FALSE(usual.is_local());
  const Vector x{{0.1, 0.2}}, y{{2.4, -1.3}};
  EXPECT_EQ(usual.pair(x, y).mean(), never.pair(x, y).mean());
  EXPECT_EQ(usual.pair(x, y).covariance, never.pair(x, y).covariance);
}

TEST_P(EmulatorOf, LocalFormPredictsTheFunctionAndInterpolatesItsLessons) {
  Emulator emulator = fresh({.tolerance = 0, .local = LocalForm{30, 24}});
  const std::vector<Lesson> lessons = lessons_about_the_top(150, 1.2, 17);
  teach(emulator, lessons);
  ASSERT_TRUE(emulator.is_local());
  EXPECT_LT(worst_error(emulator), 0.03);
  for (const Lesson& lesson : lessons)
    EXPECT_NEAR(mean_at(emulator, lesson.position), lesson.log_likelihood, 0.01);
}

// As SofteningFollowsARisingBest, past the switch.
TEST_P(EmulatorOf, LocalFormFollowsARisingBest) {
  Emulator emulator =
      fresh({.tail_depth = 30, .tail_softness = 10, .tolerance = 0, .local = LocalForm{3, 6}});
  const Vector far{{20.0, 10.0}};
  teach(emulator, {lesson_at(far), lesson_at(Vector{{21.0, 10.0}}), lesson_at(Vector{{20.0, 11.0}})});
  ASSERT_TRUE(emulator.is_local());
  EXPECT_NEAR(mean_at(emulator, far), hill(far), 1);
  const std::vector<Lesson> top = lessons_about_the_top(8, 1, 4);
  teach(emulator, top, Refit::forbidden);
  double best = -infinity;
  for (const Lesson& lesson : top) best = std::max(best, lesson.log_likelihood);
  EXPECT_NEAR(mean_at(emulator, far), best - 30 - 10 * std::log1p((best - 30 - hill(far)) / 10), 1);
}

// Three lessons close to each other teach a lengthscale by which all others are needed; a fit to many knows
// better.
TEST_P(EmulatorOf, RefitThatNeedsFewPointsIsDenseAgain) {
  const Index many = 100;
  Emulator emulator = fresh({.tolerance = 0.05, .fit_growth = many / 3.0, .local = LocalForm{70, 12}});
  teach(emulator,
        {lesson_at(Vector{{0.1, 0.0}}), lesson_at(Vector{{0.1, 0.01}}), lesson_at(Vector{{0.11, 0.0}})});
  const std::vector<Lesson> rest = lessons_about_the_top(static_cast<int>(many) - 3, 1.2, 18);
  teach(emulator, {rest.begin(), rest.end() - 1});
  EXPECT_TRUE(emulator.is_local());
  emulator.learn({rest.back()}, Refit::allowed);
  EXPECT_EQ(emulator.lessons(), many);
  EXPECT_FALSE(emulator.is_local());
  EXPECT_LT(emulator.size(), 70);
}

INSTANTIATE_TEST_SUITE_P(Observing, EmulatorOf,
                         testing::Values(Observes::values, Observes::values_and_gradients),
                         [](const auto& kind) {
                           return kind.param == Observes::values ? "values" : "values_and_gradients";
                         });

}  // namespace
}  // namespace hunch
