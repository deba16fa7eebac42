#include "hunch/report/judgement.hpp"

#include <gmock/gmock.h>

#include "report/sample_report.hpp"

namespace hunch {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using Tone = Judgement::Tone;

Judgement judged(const ReportData& data) {
  return judge(data, findings_of(data));
}

TEST(Judgement, ChainsThatAgreeAreConverged) {
  EXPECT_EQ(judged(sample_report::ordinary()).tone, Tone::good);
}

TEST(Judgement, OneChainIsNeverPraisedWithoutAWord) {
  ReportData data = sample_report::one_of_each();
  const Judgement judgement = judged(data);
  EXPECT_EQ(judgement.tone, Tone::caution);
  EXPECT_THAT(judgement.advice, Contains(HasSubstr("four chains")));
}

TEST(Judgement, AChainInAPlaceOfItsOwnIsNamed) {
  const Judgement judgement = judged(sample_report::troubled());
  EXPECT_EQ(judgement.tone, Tone::bad);
  EXPECT_THAT(judgement.reasons, Contains(HasSubstr("the chains disagree: theta3")));
  EXPECT_THAT(judgement.reasons, Contains(HasSubstr("theta1")));  // constant
  EXPECT_THAT(judgement.advice, Contains(HasSubstr("--reuse")));
}

TEST(Judgement, ASpentBudgetWithoutDrawsSaysHowToGoOn) {
  const Judgement judgement = judged(sample_report::no_draws_yet());
  EXPECT_EQ(judgement.tone, Tone::bad);
  EXPECT_THAT(judgement.advice, Contains(HasSubstr("hunch resume")));
}

TEST(Judgement, ARunInProgressIsNotCalledConverged) {
  EXPECT_EQ(judged(sample_report::in_progress()).tone, Tone::waiting);
}

TEST(Judgement, ARefusedCertificateIsNoSuccessWhateverTheDrawsSay) {
  EXPECT_EQ(judged(sample_report::audited_and_refused()).tone, Tone::bad);
  EXPECT_EQ(judged(sample_report::audited_and_passed()).tone, Tone::good);
}

TEST(Sentence, HasTheNumbersOfTheRun) {
  const ReportData data = sample_report::ordinary();
  const std::string sentence = sentence_for_paper(data, findings_of(data));
  for (const char* part : {"2,000 posterior samples", "4 parameters", "4 chains of 500 draws", "Hunch 0.1.0",
                           "method auto", "seed 1", "400 evaluations"})
    EXPECT_THAT(sentence, HasSubstr(part));
}

TEST(Judgement, ARefusalSaysHowToGoOn) {
  EXPECT_THAT(judged(sample_report::audited_and_refused()).advice, Contains(HasSubstr("--reuse")));
}

TEST(Judgement, PointsWhereTheModelFailedAreNeverPassedOver) {
  const ReportData data = sample_report::with_failures("division by zero");
  const Judgement judgement = judge(data, findings_of(data));
  EXPECT_NE(judgement.tone, Tone::good);
  EXPECT_THAT(judgement.reasons, Contains(HasSubstr("count as zero likelihood")));
  EXPECT_THAT(sentence_for_paper(data, findings_of(data)), HasSubstr("failed and count as zero likelihood"));
}

TEST(Sentence, SaysWhenTheDrawsAreNotOfThePosteriorItself) {
  const ReportData data = sample_report::audited_and_passed();
  EXPECT_THAT(sentence_for_paper(data, findings_of(data)), HasSubstr("surrogate"));
}

TEST(Sentence, DoesNotHideThatChainsHaveNotConverged) {
  const ReportData data = sample_report::troubled();
  EXPECT_THAT(sentence_for_paper(data, findings_of(data)),
              AllOf(HasSubstr("had not converged"), HasSubstr("in the bulk"), HasSubstr("in the tails")));
}

TEST(Sentence, WaitsForTheEnd) {
  ReportData data = sample_report::ordinary();
  data.standing = RunStanding::in_progress;
  EXPECT_EQ(sentence_for_paper(data, findings_of(data)), "");
}

TEST(Sentence, IsNotMadeUpWithoutDraws) {
  const ReportData data = sample_report::no_draws_yet();
  EXPECT_EQ(sentence_for_paper(data, findings_of(data)), "");
}

}  // namespace
}  // namespace hunch
