#include "hunch/study/breadth.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "hunch/core/rng.hpp"
#include "hunch/study/breadth_summary.hpp"

namespace hunch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Index length = 500;
constexpr std::uint32_t chains = 4;

BreadthReference unit_normal(double kurtosis = 3, double draws = std::numeric_limits<double>::infinity()) {
  return {"", draws, {1, -1}, {2, 0.5}, {kurtosis, kurtosis}, {}, std::nullopt};
}

// Independent normal draws of the reference, moved and stretched; the last chain may be moved further.
struct Fake {
  double shift_sd = 0;
  double stretch = 1;
  double last_chain_shift_sd = 0;
};

Draws fake_draws(const Fake& fake, Index count = length) {
  const BreadthReference reference = unit_normal();
  Draws draws({"u1", "u2"}, chains);
  for (std::uint32_t chain = 0; chain < chains; ++chain) {
    Rng rng({6, chain, 0, Purpose::test});
    const double moved = fake.shift_sd + (chain + 1 == chains ? fake.last_chain_shift_sd : 0);
    for (Index i = 0; i < count; ++i)
      draws.append(chain, Vector{{reference.mean[0] + reference.sd[0] * (fake.stretch * rng.normal() + moved),
                                  reference.mean[1] + reference.sd[1] * rng.normal()}});
  }
  return draws;
}

BreadthVerdict verdict_on(const Draws& draws) {
  const DrawsStatus status =
      draws_status(std::nullopt, {}, Ending::complete, summarise(draws), draws.chains());
  return breadth_verdict(score_draws(draws, unit_normal()), status);
}

TEST(BreadthScore, FiveVerdicts) {
  EXPECT_EQ(verdict_on(fake_draws({})), BreadthVerdict::right);
  EXPECT_EQ(verdict_on(fake_draws({.shift_sd = 0.4})), BreadthVerdict::silently_wrong);
  EXPECT_EQ(verdict_on(fake_draws({.stretch = 0.75})), BreadthVerdict::silently_wrong);
  EXPECT_EQ(verdict_on(fake_draws({}, 50)), BreadthVerdict::right_warned);  // too few effective draws
  EXPECT_EQ(verdict_on(fake_draws({.shift_sd = 2, .last_chain_shift_sd = 1})), BreadthVerdict::wrong_warned);
  const Draws good = fake_draws({});
  const DrawsStatus doubted =
      draws_status(std::nullopt, {"climbs disagree"}, Ending::complete, summarise(good), good.chains());
  EXPECT_EQ(breadth_verdict(score_draws(good, unit_normal()), doubted), BreadthVerdict::right_warned);
  const Certificate refused{.verdict = Certificate::Verdict::refused, .reason = "unknown"};
  EXPECT_EQ(breadth_verdict({}, draws_status(refused, {}, Ending::complete, {}, 0)), BreadthVerdict::refused);
}

TEST(BreadthScore, NamesWhatIsWrongAndTheWorstOfIt) {
  const BreadthScore score = score_draws(fake_draws({.shift_sd = -0.5, .stretch = 0.6}), unit_normal());
  EXPECT_THAT(score.faults, ElementsAre(HasSubstr("u1 mean -0."), HasSubstr("u1 sd x 0.")));
  EXPECT_NEAR(score.worst_mean_error_sd, 0.5, 0.1);
  EXPECT_NEAR(score.worst_sd_ratio, 0.6, 0.05);
}

// 200 independent draws: an sd that is 20 % off is 4 errors of a normal, 0.05, off, but not of a heavy tail.
TEST(BreadthScore, HeavyTailsAllowForMoreMonteCarloError) {
  const Draws draws = fake_draws({.stretch = 0.78}, 50);
  EXPECT_FALSE(score_draws(draws, unit_normal(3)).faults.empty());
  EXPECT_THAT(score_draws(draws, unit_normal(9)).faults, IsEmpty());
}

TEST(BreadthScore, AReferenceOfFewDrawsAllowsForItsOwnError) {
  const Draws draws = fake_draws({.shift_sd = 0.4});
  EXPECT_FALSE(score_draws(draws, unit_normal(3)).faults.empty());
  EXPECT_THAT(score_draws(draws, unit_normal(3, 50)).faults, IsEmpty());
}

TEST(BreadthScore, DrawsThatAreNoNumbersAreWrong) {
  Draws draws({"u1", "u2"}, 1);
  for (int i = 0; i < 20; ++i) draws.append(0, Vector::Constant(2, std::nan("")));
  EXPECT_EQ(score_draws(draws, unit_normal()).faults.size(), 4U);
}

BreadthOptions small_study() {
  BreadthOptions options;
  options.posteriors = {"half-normal-2", "banana-2"};
  options.draws = 60;
  return options;
}

TEST(Breadth, RowsAreInOrderAndTheSameWithAnyNumberOfJobs) {
  BreadthOptions options = small_study();
  options.posteriors = {"half-normal-2", "two-modes-2"};
  options.exactness = {"audited"};
  options.replicates = 2;
  options.seed = 5;
  Index told = 0;
  const std::vector<BreadthRow> one = study_breadth(options, [&](const BreadthProgress& at) {
    EXPECT_EQ(at.done, ++told);
    EXPECT_EQ(at.total, 4);
  });
  options.jobs = 2;
  EXPECT_EQ(to_text(one), to_text(study_breadth(options)));
  ASSERT_EQ(one.size(), 4U);
  EXPECT_EQ(told, 4);
  EXPECT_EQ(one[0].posterior, "half-normal-2");
  EXPECT_EQ(one[0].seed, 5U);
  EXPECT_EQ(one[1].seed, 6U);
  EXPECT_EQ(one[2].posterior, "two-modes-2");
  for (const BreadthRow& row : one) {
    EXPECT_GT(row.evaluations, 10);
    EXPECT_GT(row.rounds, 0);
    EXPECT_LE(row.rounds, row.evaluations);
    ASSERT_TRUE(row.evaluations_to_bulk);
    EXPECT_GE(*row.evaluations_to_bulk, 1);
    EXPECT_LT(*row.evaluations_to_bulk, row.evaluations);
    EXPECT_EQ(row.score.has_value(), row.verdict != BreadthVerdict::refused);
  }
}

TEST(Breadth, OwnTimeLeavesOutTheLikelihood) {
  BreadthOptions options = small_study();
  options.posteriors = {"half-normal-2"};
  options.exactness = {"audited"};
  // A clock that moves by a second whenever it is read: once before and once after each batch, and around
  // all.
  double now = 0;
  options.cpu_seconds = [&] { return now++; };
  const BreadthRow row = study_breadth(options).at(0);
  const double own = row.own_ms_per_evaluation * static_cast<double>(row.evaluations) / 1000;
  EXPECT_NEAR(own, static_cast<double>(row.rounds + 1), 1e-6);
}

TEST(Breadth, ARunThatTakesTooLongIsRefused) {
  BreadthOptions options = small_study();
  options.exactness = {"exact"};
  options.max_seconds = 1e-9;
  for (const BreadthRow& row : study_breadth(options)) {
    EXPECT_EQ(row.verdict, BreadthVerdict::refused);
    EXPECT_EQ(row.note, "stopped for time");
  }
}

TEST(Breadth, BadOptionsAreRefused) {
  const auto refused = [](const std::function<void(BreadthOptions&)>& spoil) {
    BreadthOptions options = small_study();
    spoil(options);
    EXPECT_THROW(study_breadth(options), InputError);
  };
  refused([](BreadthOptions& o) { o.replicates = 0; });
  refused([](BreadthOptions& o) { o.jobs = 0; });
  refused([](BreadthOptions& o) { o.draws = 0; });
  refused([](BreadthOptions& o) { o.max_seconds = 0; });
  refused([](BreadthOptions& o) { o.exactness = {"roughly"}; });
  refused([](BreadthOptions& o) { o.posteriors = {"no-such"}; });
  refused([](BreadthOptions& o) { o.half = Half::tune; });
}

BreadthRow row_with(Half half, const std::string& group, BreadthVerdict verdict, std::int64_t evaluations) {
  BreadthRow row;
  row.half = half;
  row.group = group;
  row.exactness = "exact";
  row.verdict = verdict;
  row.evaluations = evaluations;
  return row;
}

TEST(BreadthSummary, CountsVerdictsByHalfAndGroupAndTakesMedians) {
  const auto summaries = summarise({row_with(Half::report, "ode", BreadthVerdict::refused, 7),
                                    row_with(Half::tune, "ode", BreadthVerdict::right, 100),
                                    row_with(Half::tune, "ode", BreadthVerdict::silently_wrong, 300),
                                    row_with(Half::tune, "shape", BreadthVerdict::right, 900)});
  ASSERT_EQ(summaries.size(), 5U);
  EXPECT_EQ(summaries[0].group, "ode");
  EXPECT_EQ(summaries[0].half, Half::tune);
  EXPECT_THAT(summaries[0].counts, ElementsAre(1, 0, 0, 0, 1));
  EXPECT_DOUBLE_EQ(summaries[0].median_evaluations, 200);
  EXPECT_EQ(summaries[2].group, "all");
  EXPECT_THAT(summaries[2].counts, ElementsAre(2, 0, 0, 0, 1));
  EXPECT_DOUBLE_EQ(summaries[2].median_evaluations, 300);
  EXPECT_THAT(summaries[4].counts, ElementsAre(0, 0, 0, 1, 0));
}

TEST(BreadthSummary, CsvQuotesCellsWithCommas) {
  BreadthRow row = row_with(Half::tune, "ode", BreadthVerdict::right_warned, 1);
  row.posterior = "p";
  row.note = "a \"b\", c";
  const std::string csv = to_csv({row});
  EXPECT_THAT(csv, HasSubstr("\"right, warned\",1,-,-,-,-,0,0,"));
  EXPECT_THAT(csv, HasSubstr(",\"a \"\"b\"\", c\"\n"));
  EXPECT_THAT(to_markdown({row}), HasSubstr("| p | 0 | - | tune | exact | 0 | right, warned | 1 |"));
}

}  // namespace
}  // namespace hunch
