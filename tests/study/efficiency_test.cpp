#include "hunch/study/efficiency.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "hunch/core/rng.hpp"
#include "hunch/study/efficiency_plot.hpp"
#include "hunch/study/efficiency_summary.hpp"
#include "hunch/study/study_method.hpp"

namespace hunch {
namespace {

constexpr Index length = 2500;
constexpr std::uint32_t chains = 4;

// Independent normal draws around the reference, moved and stretched as told; one chain may be moved further.
struct Fake {
  double shift_sd = 0;
  double stretch = 1;
  double last_chain_shift_sd = 0;
};

Draws fake_draws(const ReferenceMoments& reference, const Fake& fake) {
  Draws draws({"x", "y"}, chains);
  for (std::uint32_t chain = 0; chain < chains; ++chain) {
    Rng rng({5, chain, 0, Purpose::test});
    const double moved = fake.shift_sd + (chain + 1 == chains ? fake.last_chain_shift_sd : 0);
    for (Index i = 0; i < length; ++i)
      draws.append(chain, reference.mean + reference.sd.cwiseProduct(fake.stretch * rng.normal(2) +
                                                                     Vector::Constant(2, moved)));
  }
  return draws;
}

EfficiencyRow row_of(const Fake& fake, std::int64_t evaluations = 20000,
                     std::optional<double> certified = std::nullopt) {
  const ReferenceMoments reference = reference_moments("T1").value();
  EfficiencyRow row;
  row.certified = certified;
  row.evaluations = evaluations;
  return judged(row, fake_draws(reference, fake), reference);
}

EfficiencyOptions small_study() {
  EfficiencyOptions options;
  options.targets = {"T1", "ar1-10"};
  options.methods = {"mh", "gp-mh"};
  options.replicates = 2;
  options.warmup = 30;
  options.draws = 20;
  return options;
}

TEST(Efficiency, IndependentDrawsAreWorthTheirNumberAndRight) {
  const EfficiencyRow row = row_of({});
  EXPECT_NEAR(row.ess, 10000, 1500);
  EXPECT_NEAR(row.ess_squares, 10000, 1500);
  EXPECT_DOUBLE_EQ(row.ess_per_evaluation, std::min(row.ess, row.ess_squares) / 20000);
  EXPECT_LT(row.mean_error_sd, 0.045);  // 4.5 standard errors
  EXPECT_LT(row.z_rms, 3);
  EXPECT_FALSE(row.failed);
  EXPECT_FALSE(row.warned);
  EXPECT_EQ(row.verdict, "right");
}

TEST(Efficiency, ErrorsAreInSdsOfTheReferenceAndRatiosOfSdsAreNotOfVariances) {
  const EfficiencyRow straight = row_of({});
  const EfficiencyRow moved = row_of({.shift_sd = 0.3, .stretch = 1.2});
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_NEAR(moved.mean_errors[p], 1.2 * straight.mean_errors[p] + 0.3, 1e-9);
    EXPECT_NEAR(moved.sd_ratios[p], 1.2 * straight.sd_ratios[p], 1e-9);
    // The standard error of 10000 independent draws is about 1.2 / 100 sds.
    EXPECT_NEAR(moved.z[p], moved.mean_errors[p] * 100 / 1.2, 0.15 * std::abs(moved.z[p]));
  }
  EXPECT_DOUBLE_EQ(moved.sd_ratio_min, std::min(moved.sd_ratios[0], moved.sd_ratios[1]));
  EXPECT_DOUBLE_EQ(moved.sd_ratio_max, std::max(moved.sd_ratios[0], moved.sd_ratios[1]));
  EXPECT_FALSE(moved.failed);
}

// 10000 independent draws: three Monte Carlo errors are 0.03 of a mean and 0.02 of an sd's ratio.
TEST(Efficiency, CertificateIsFalseWhereAMeanOrAnSdIsFurtherOffThanItSays) {
  EXPECT_FALSE(row_of({.shift_sd = 0.03}, 20000, 0.05).falsely_certified);
  EXPECT_TRUE(row_of({.shift_sd = 0.1}, 20000, 0.05).falsely_certified);
  EXPECT_TRUE(row_of({.shift_sd = -0.1}, 20000, 0.05).falsely_certified);
  EXPECT_TRUE(row_of({.stretch = 1.1}, 20000, 0.05).falsely_certified);
  EXPECT_TRUE(row_of({.stretch = 0.9}, 20000, 0.05).falsely_certified);
  EXPECT_EQ(row_of({.shift_sd = 0.1}, 20000, 0.05).verdict, "the certificate is false");
  EXPECT_FALSE(row_of({.shift_sd = 0.1}).falsely_certified);
}

// Without the limit on lengthscales two of these runs vouch for means that are 0.07 and 0.10 sd off.
TEST(Efficiency, LikelihoodWithAJumpGetsNoFalseCertificate) {
  EfficiencyOptions options;
  options.targets = {"cliff"};
  options.methods = {"audited"};
  options.replicates = 16;
  options.workers = 2;
  for (const EfficiencyRow& row : study_efficiency(options))
    EXPECT_FALSE(row.falsely_certified) << row.replicate;
}

// Two modes, six sds apart.
EfficiencyRow row_of_two_modes(const std::string& method, std::uint64_t seed) {
  EfficiencyOptions options;
  options.targets = {"bimodal"};
  options.methods = {method};
  options.replicates = 1;
  options.seed = seed;
  return study_efficiency(options).at(0);
}

// From these starts nothing led to the smaller mode before the first look around the top, and all chains
// agreed on the other.
TEST(Efficiency, SecondModeIsNotMissedInSilence) {
  for (const std::uint64_t seed : {16, 24, 32}) {
    const EfficiencyRow row = row_of_two_modes("auto", seed);
    EXPECT_TRUE(!row.failed || row.warned) << "seed " << seed;
  }
}

// Likewise: from each of these starts a certificate vouched for the larger mode alone.
TEST(Efficiency, SecondModeIsNotMissedByACertificate) {
  for (const std::uint64_t seed : {12, 1002, 2003, 2009, 2012})
    EXPECT_FALSE(row_of_two_modes("audited", seed).falsely_certified) << "seed " << seed;
}

TEST(Efficiency, WrongDrawsThatLookFineFailWithoutSayingSo) {
  const EfficiencyRow row = row_of({.shift_sd = 0.8});
  EXPECT_TRUE(row.failed);
  EXPECT_FALSE(row.warned);
  EXPECT_EQ(row.verdict, "failed without saying so");
}

TEST(Efficiency, ChainsThatDisagreeAreAWarningAndWorthLittle) {
  const EfficiencyRow row = row_of({.last_chain_shift_sd = 6});
  EXPECT_GT(row.largest_rhat, 1.05);
  EXPECT_TRUE(row.failed);
  EXPECT_TRUE(row.warned);
  EXPECT_LT(row.ess, 50);
  EXPECT_EQ(row.verdict, "failed, and said so");
}

TEST(Efficiency, DrawsThatStandStillAreWorthNothing) {
  const ReferenceMoments reference = reference_moments("T1").value();
  Draws draws({"x", "y"}, chains);
  for (std::uint32_t chain = 0; chain < chains; ++chain)
    for (Index i = 0; i < length; ++i) draws.append(chain, reference.mean);
  EfficiencyRow row;
  row.evaluations = 1000;
  row = judged(row, draws, reference);
  EXPECT_EQ(row.ess, 0);
  EXPECT_EQ(row.ess_per_evaluation, 0);
  EXPECT_TRUE(row.failed);
  EXPECT_TRUE(row.warned);
}

TEST(Efficiency, EveryTargetMethodAndReplicateHasItsRowWhateverTheWorkers) {
  EfficiencyOptions options = small_study();
  const auto one = study_efficiency(options);
  options.workers = 3;
  const auto three = study_efficiency(options);
  ASSERT_EQ(one.size(), 8u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].target, i < 4 ? "T1" : "ar1-10");
    EXPECT_EQ(one[i].method, i % 4 < 2 ? "mh" : "gp-mh");
    EXPECT_EQ(one[i].replicate, static_cast<int>(i % 2));
    EXPECT_EQ(one[i].evaluations, three[i].evaluations);
    EXPECT_EQ(one[i].mean_errors, three[i].mean_errors);
    EXPECT_EQ(one[i].ess, three[i].ess);
  }
  EXPECT_NE(one[0].mean_errors, one[1].mean_errors);  // replicates have seeds of their own
}

TEST(Efficiency, PlainMhPaysForEveryIterationFromTheFirstStart) {
  EfficiencyOptions options = small_study();
  options.methods = {"mh"};
  for (const EfficiencyRow& row : study_efficiency(options)) EXPECT_EQ(row.evaluations, 4 * (1 + 30 + 20));
}

// The prior of T4 puts a draw in a thousand where the epidemic is too fast to follow.
TEST(Efficiency, ImpossibleStartsAreRedrawnAndPaidFor) {
  const Problem problem = make_problem("T4");
  const auto possible = [&](std::uint64_t seed, std::uint32_t chain, std::uint64_t attempt) {
    const Vector theta = problem.parameters.theta(efficiency_start(problem, seed, chain, attempt));
    return std::isfinite(problem.evaluate(theta, Want::value).log_likelihood);
  };
  std::uint64_t seed = 1;
  while (seed < 20000 && possible(seed, 0, 0)) ++seed;
  ASSERT_LT(seed, 20000u);
  ASSERT_TRUE(possible(seed, 0, 1));
  EfficiencyOptions options = small_study();
  options.targets = {"T4"};
  options.methods = {"mh"};
  options.replicates = 1;
  options.seed = seed;
  EXPECT_EQ(study_efficiency(options).front().evaluations, 1 + 4 * (1 + 30 + 20));
}

TEST(Efficiency, BadOptionsAreRefusedBeforeAnyRun) {
  const auto refused = [](auto change, const char* word) {
    EfficiencyOptions options = small_study();
    change(options);
    try {
      study_efficiency(options);
      FAIL() << word;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(word));
    }
  };
  refused([](auto& o) { o.replicates = 0; }, "replicates");
  refused([](auto& o) { o.workers = 0; }, "workers");
  refused([](auto& o) { o.chains = 0; }, "chains");
  refused([](auto& o) { o.targets = {}; }, "targets");
  refused([](auto& o) { o.targets = {"T9"}; }, "T9");
  refused([](auto& o) { o.methods = {"hmc"}; }, "gp-mh");
}

TEST(EfficiencySummary, WorstRunAndSilentFailuresAreNotAveragedAway) {
  std::vector<EfficiencyRow> rows(3);
  for (int i = 0; i < 3; ++i) {
    rows[i].target = "T1";
    rows[i].method = "mh";
    rows[i].evaluations = 100 * (i + 1);
    rows[i].ess_per_evaluation = 0.1 * (i + 1);
    rows[i].mean_error_sd = 0.2 * (i + 1);
    rows[i].z = {i - 1.0, 2.0};
    rows[i].sd_ratios = {0.9 + 0.1 * i, 1.1};
  }
  rows[2].failed = true;
  rows[1].failed = rows[1].warned = true;
  const auto summaries = summarise(rows);
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_DOUBLE_EQ(summaries[0].evaluations, 200);
  EXPECT_DOUBLE_EQ(summaries[0].ess_per_evaluation, 0.2);
  EXPECT_DOUBLE_EQ(summaries[0].least_ess_per_evaluation, 0.1);
  EXPECT_DOUBLE_EQ(summaries[0].most_ess_per_evaluation, 0.3 * (1 + 1e-16));
  EXPECT_DOUBLE_EQ(summaries[0].largest_mean_error_sd, 0.6);
  EXPECT_DOUBLE_EQ(summaries[0].sd_ratio_min, 1.0);
  EXPECT_DOUBLE_EQ(summaries[0].sd_ratio_max, 1.1);
  EXPECT_DOUBLE_EQ(summaries[0].z_rms, std::sqrt(14.0 / 6));
  EXPECT_EQ(summaries[0].failed, 2);
  EXPECT_EQ(summaries[0].failed_silently, 1);
  EXPECT_THAT(to_text(summaries, {}), testing::HasSubstr("2/3!"));
}

TEST(EfficiencyPlot, ShowsEveryTargetAndMethod) {
  std::vector<EfficiencySummary> summaries(4);
  for (int i = 0; i < 4; ++i) {
    summaries[i].target = i < 2 ? "T1" : "T2";
    summaries[i].method = i % 2 ? "auto" : "mh";
    summaries[i].ess_per_evaluation = summaries[i].least_ess_per_evaluation =
        summaries[i].most_ess_per_evaluation = 0.1;
    summaries[i].runs = 1;
  }
  EXPECT_EQ(efficiency_png(summaries).substr(1, 3), "PNG");
  const std::string with_four = efficiency_svg(summaries);
  summaries.pop_back();
  EXPECT_LT(efficiency_svg(summaries).size(), with_four.size());
}

TEST(StudyMethod, EveryMethodOfTheLibraryIsStudied) {
  EXPECT_THAT(efficiency_methods(), testing::IsSupersetOf({"mh", "gp-mh", "mala", "gp-mala"}));
}

TEST(StudyMethod, FirstStepsComeFromThePriorNotFromThePosterior) {
  const Problem problem = make_problem("T5");  // prior sd 10, posterior sd about 0.1
  const auto walk = std::get<RandomWalk>(first_proposal(problem.parameters, Method::mh));
  EXPECT_NEAR(walk.scales.minCoeff(), 1, 0.01);
  EXPECT_NEAR(walk.scales.maxCoeff(), 1, 0.01);
}

}  // namespace
}  // namespace hunch
