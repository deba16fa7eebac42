#include "hunch/report/page.hpp"

#include <gmock/gmock.h>

#include <regex>

#include "hunch/report/markup.hpp"
#include "report/sample_report.hpp"

namespace hunch {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
    ++count;
  return count;
}

TEST(Markup, TextCannotBecomeATagAnAttributeOrAReference) {
  EXPECT_EQ(escaped("<b>&\"'`"), "&lt;b&gt;&amp;&quot;&#39;&#96;");
}

TEST(Markup, BytesThatAreNotUtf8AndControlCharactersAreReplaced) {
  const std::string sign = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped(std::string("a\0b", 3)), "a" + sign + "b");
  EXPECT_EQ(escaped("\xC0\xBC"), sign + sign);             // an overlong <
  EXPECT_EQ(escaped("\xED\xA0\x80"), sign + sign + sign);  // half of a surrogate pair
  EXPECT_EQ(escaped("\xE2\x82"), sign + sign);             // cut off
  EXPECT_EQ(escaped("\x1B[31m"), sign + "[31m");
  EXPECT_EQ(escaped("\xC2\x85"), sign);  // a C1 control
  EXPECT_EQ(escaped("\xE2\x82\xAC\n\t"), "\xE2\x82\xAC\n\t");
}

TEST(Page, IsTheSameForTheSameRun) {
  EXPECT_EQ(report_page(sample_report::ordinary()), report_page(sample_report::ordinary()));
}

struct Kind {
  const char* name;
  ReportData (*make)();
};

class EveryKindOfRun : public testing::TestWithParam<Kind> {};

TEST_P(EveryKindOfRun, MakesAPageWithBalancedTagsAndNoNumberGoneWrong) {
  const std::string page = report_page(GetParam().make());
  for (const char* name :
       {"section", "figure", "svg", "table", "tr", "td", "div", "ul", "li", "main", "details"})
    EXPECT_EQ(count_of(page, std::string("<") + name + " ") + count_of(page, std::string("<") + name + ">"),
              count_of(page, std::string("</") + name + ">"))
        << name;
  const std::regex broken("(?:=\"|[ ,MLhv])-?(?:nan|inf)\\b");
  EXPECT_FALSE(std::regex_search(page, broken));
}

TEST_P(EveryKindOfRun, HasNoInlineStyleNoHandlerAndNothingFromElsewhere) {
  const std::string page = report_page(GetParam().make());
  EXPECT_THAT(page, Not(HasSubstr(" style=")));
  EXPECT_THAT(page, Not(HasSubstr(" onclick")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_EQ(count_of(page, "<script>"), 1U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKindOfRun,
                         testing::Values(Kind{"ordinary", sample_report::ordinary},
                                         Kind{"no_draws_yet", sample_report::no_draws_yet},
                                         Kind{"nothing_at_all", sample_report::nothing_at_all},
                                         Kind{"in_progress", sample_report::in_progress},
                                         Kind{"one_of_each", sample_report::one_of_each},
                                         Kind{"many_parameters", sample_report::many_parameters},
                                         Kind{"troubled", sample_report::troubled},
                                         Kind{"audited_and_passed", sample_report::audited_and_passed},
                                         Kind{"audited_and_refused", sample_report::audited_and_refused},
                                         Kind{"fallen_back", sample_report::fallen_back}),
                         [](const auto& kind) { return kind.param.name; });

TEST(Page, NamesAndMessagesFromDataStayText) {
  ReportData data = sample_report::with_failures("</td><script>alert(1)</script>");
  data.name = "<img src=x onerror=alert(1)>";
  data.remarks = {"\"><svg onload=alert(1)>"};
  data.config = "</code></pre><script>alert(1)</script>";
  const std::string page = report_page(data);
  EXPECT_EQ(count_of(page, "<script"), 1U);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<svg onload")));
  EXPECT_THAT(page, HasSubstr("&lt;img src=x onerror=alert(1)&gt;"));
}

TEST(Page, APairPlotOfManyParametersSaysWhichItShows) {
  const std::string page = report_page(sample_report::many_parameters());
  EXPECT_THAT(page, HasSubstr("6 of 20 parameters are shown"));
  EXPECT_EQ(count_of(page, "id=\"pair-"), 15U);
}

TEST(Page, AHundredThousandDrawsStayBelowFiveMegabytes) {
  const std::string page = report_page(sample_report::large());
  EXPECT_LT(page.size(), 5'000'000U);
  EXPECT_THAT(page, HasSubstr("100,000"));
}

TEST(Page, PartsAboutDifferentParametersAreAMistake) {
  ReportData data = sample_report::ordinary();
  data.evaluations[3].theta = Vector::Zero(2);
  EXPECT_THROW(report_page(data), std::logic_error);
}

TEST(LivePage, ItsPolicyAllowsItsOwnScriptsAndServerOnly) {
  const std::string policy = live_policy();
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("connect-src 'self'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(live_page("<b>"), Not(HasSubstr("<b>")));
}

}  // namespace
}  // namespace hunch
