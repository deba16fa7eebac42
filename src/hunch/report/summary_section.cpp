#include <algorithm>

#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

Markup number(const std::string& words) {
  return tag("td", words);
}

// A value beyond its threshold is marked by weight and sign, not by colour alone.
enum class Mark { none, beyond_threshold };

Markup judged(const std::string& words, Mark mark) {
  return mark == Mark::none ? number(words) : tag("td", {{"class", "poor"}}, words + " !");
}

Markup row(const ReportParameter& parameter, const ParameterSummary& p, double enough) {
  const auto mark_unless = [](bool good) { return good ? Mark::none : Mark::beyond_threshold; };
  Markup cells = tag("th", {{"scope", "row"}}, named(p.name));
  cells += tag("td", {{"class", "words"}}, named(parameter.prior));
  for (const auto& value : {p.mean, p.sd, p.q5, p.median, p.q95}) cells += number(in_short(value));
  cells += judged(rhat_in_words(p.rhat), mark_unless(p.rhat && *p.rhat <= 1.01));
  cells += judged(counted(p.ess_bulk), mark_unless(p.ess_bulk.value_or(0) >= enough));
  cells += judged(counted(p.ess_tail), mark_unless(p.ess_tail.value_or(0) >= enough));
  cells += number(in_short(p.mcse_mean));
  return tag("tr", cells);
}

// Before there are draws, the priors are all there is to say.
Markup priors_only(const ReportData& data) {
  Markup rows;
  for (std::size_t p = 0; p < data.parameters.size(); ++p)
    rows += tag("tr", tag("th", {{"scope", "row"}}, named(data.draws.names()[p])) +
                          tag("td", {{"class", "words"}}, named(data.parameters[p].prior)));
  return tag("table",
             tag("thead", tag("tr", tag("th", {{"scope", "col"}}, "parameter") +
                                        tag("th", {{"scope", "col"}, {"class", "words"}}, "prior"))) +
                 tag("tbody", rows));
}

}  // namespace

Markup summary_section(const ReportData& data, const Findings& found) {
  const auto in_box = [](const Markup& table) {
    return tag("div",
               {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Summary table"}},
               table);
  };
  if (!found.has_draws()) return section("summary", "Parameters", in_box(priors_only(data)));
  Markup head = tag("th", {{"scope", "col"}}, "parameter");
  head += tag("th", {{"scope", "col"}, {"class", "words"}}, "prior");
  for (const char* column : {"mean", "sd", "5 %", "50 %", "95 %", "R-hat", "ESS bulk", "ESS tail", "MCSE"})
    head += tag("th", {{"scope", "col"}}, std::string_view(column));
  Markup rows;
  for (std::size_t p = 0; p < found.summary.size(); ++p)
    rows += row(data.parameters[p], found.summary[p], 100.0 * static_cast<double>(found.chains));
  const Markup table = tag("table", tag("thead", tag("tr", head)) + tag("tbody", rows));
  return section(
      "summary", "Summary",
      in_box(table) + paragraph("MCSE is the Monte Carlo error of the mean. A value marked ! is beyond "
                                "its usual threshold: R-hat 1.01, and 100 effective draws a chain."));
}

}  // namespace hunch
