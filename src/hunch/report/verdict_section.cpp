#include <fmt/core.h>

#include <cmath>

#include "hunch/report/judgement.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

std::string class_of(Judgement::Tone tone) {
  switch (tone) {
    case Judgement::Tone::good:
      return "verdict good";
    case Judgement::Tone::caution:
      return "verdict caution";
    case Judgement::Tone::bad:
      return "verdict bad";
    case Judgement::Tone::waiting:
      break;
  }
  return "verdict waiting";
}

// Said by its form too, not by colour alone.
std::string sign_of(Judgement::Tone tone) {
  switch (tone) {
    case Judgement::Tone::good:
      return "\xE2\x9C\x93";
    case Judgement::Tone::caution:
      return "!";
    case Judgement::Tone::bad:
      return "\xE2\x9C\x95";
    case Judgement::Tone::waiting:
      break;
  }
  return "\xE2\x80\xA6";
}

Markup tile(const std::string& number, const std::string& words) {
  return tag("div", {{"class", "tile"}}, tag("dd", number) + tag("dt", words));
}

Markup tiles(const ReportData& data, const Findings& found) {
  const auto evaluations = static_cast<std::int64_t>(data.evaluations.size());
  Markup made =
      tile(counted(evaluations), evaluations == 1 ? "likelihood evaluation" : "likelihood evaluations");
  made += tile(counted(found.chains * found.length),
               found.has_draws() ? fmt::format("draws, {} of {}", counted_things(found.chains, "chain"),
                                               counted(found.length))
                                 : "draws");
  if (found.has_draws()) {
    made += tile(rhat_in_words(found.worst_rhat), "largest R-hat");
    made += tile(counted(found.least_ess_bulk) + " / " + counted(found.least_ess_tail),
                 "smallest effective sample size, bulk / tail");
    if (found.least_ess_bulk && evaluations > 0 && data.draw == ReportData::Draw::exact)
      made +=
          tile(in_short(std::round(1000 * *found.least_ess_bulk / static_cast<double>(evaluations)) / 1000),
               "effective draws (bulk) for an evaluation");
  }
  return tag("dl", {{"class", "tiles"}}, made);
}

Markup bounds_table(const ReportData& data, const ReportCertificate& certificate) {
  Markup rows;
  for (std::size_t p = 0; p < certificate.mean_bounds.size() && p < certificate.sd_bounds.size(); ++p)
    rows +=
        tag("tr", tag("th", {{"scope", "row"}}, named(data.draws.names()[p])) +
                      tag("td", fmt::format("within {:.3f} sd", certificate.mean_bounds[p])) +
                      tag("td", fmt::format("within {:.1f} %", 100 * std::expm1(certificate.sd_bounds[p]))));
  if (rows.empty()) return {};
  const Markup head = tag(
      "thead", tag("tr", tag("th", {{"scope", "col"}}, "parameter") + tag("th", {{"scope", "col"}}, "mean") +
                             tag("th", {{"scope", "col"}}, "sd")));
  return paragraph(
             "What the certificate bounds, of unconstrained positions, beside the draws' own Monte Carlo "
             "error:") +
         tag("div", {{"class", "scroll"}, {"tabindex", "0"}}, tag("table", head + tag("tbody", rows)));
}

}  // namespace

Markup verdict_section(const ReportData& data, const Findings& found) {
  const Judgement judgement = judge(data, found);
  Markup words =
      tag("h2", tag("span", {{"class", "sign"}, {"aria-hidden", "true"}}, sign_of(judgement.tone)) +
                    Markup::text(judgement.headline));
  for (const std::string& reason : judgement.reasons) words += tag("p", {}, named(reason));
  for (const std::string& advice : judgement.advice) words += tag("p", {{"class", "advice"}}, named(advice));
  Markup made = tag("section", {{"class", class_of(judgement.tone)}, {"id", "verdict"}}, words);
  for (const std::string& remark : data.remarks)
    made += tag("aside", {{"class", "remark"}}, tag("strong", "Note: ") + named(remark));
  made += tiles(data, found);
  if (data.certificate) made += bounds_table(data, *data.certificate);
  const std::string sentence = sentence_for_paper(data, found);
  if (!sentence.empty())
    made += tag("figure", {{"class", "quote"}},
                tag("figcaption", "For a paper") + tag("blockquote", {}, tag("p", sentence)));
  return made;
}

Markup section(Literal id, Literal heading, const Markup& content) {
  if (content.empty()) return {};
  return tag("section", {{"id", std::string(id.view())}}, tag("h2", heading.view()) + content);
}

Markup paragraph(std::string_view words) {
  return tag("p", words);
}

Markup grid_of(const Markup& figures) {
  return figures.empty() ? Markup() : tag("div", {{"class", "grid"}}, figures);
}

}  // namespace hunch
