#include "hunch/report/page.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "hunch/report/page_parts.hpp"
#include "hunch/report/sections.hpp"

namespace hunch {

namespace {

std::string policy(const std::string& scripts, const std::string& more) {
  return fmt::format("default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'{}",
                     scripts, policy_hash(page_style()), more);
}

// Only this file puts style and script into a page: both are this program's own text.
std::string html_page(const std::string& policy_text, const std::string& title, const Markup& body,
                      std::string_view scripts) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}\n{}</body>\n</html>\n",
      policy_text, escaped(title), page_style(), body.html(), scripts);
}

std::string script_tag(std::string_view script) {
  return fmt::format("<script>{}</script>\n", script);
}

Markup theme_button() {
  return tag("button", {{"id", "theme"}, {"type", "button"}}, "light / dark");
}

struct Part {
  Literal link;
  Literal words;
  Markup content;
};

Markup contents(const std::vector<Part>& parts) {
  Markup items;
  for (const Part& part : parts)
    if (!part.content.empty())
      items += tag("li", tag("a", {{"href", std::string(part.link.view())}}, part.words.view()));
  return tag("nav", {{"aria-label", "Contents"}}, tag("ul", items));
}

void check(const ReportData& data) {
  const Index d = data.draws.parameters();
  bool fits = static_cast<Index>(data.parameters.size()) == d;
  for (const ReportEvaluation& one : data.evaluations) fits = fits && one.theta.size() == d;
  for (const ReportAttempt& one : data.attempts) fits = fits && one.theta.size() == d;
  if (!fits) throw std::logic_error("the parts of a report are not about the same parameters");
}

}  // namespace

std::string report_page(const ReportData& data) {
  check(data);
  const Findings found = findings_of(data);
  const std::vector<Part> parts = {
      {"#summary", "Summary", summary_section(data, found)},
      {"#marginals", "Marginals", marginal_section(data, found)},
      {"#pairs", "Pairs", pair_section(data, found)},
      {"#chains", "Chains", chain_section(data, found)},
      {"#growth", "Convergence", growth_section(data, found)},
      {"#bill", "The bill", bill_section(data, found)},
      {"#surrogate", "The surrogate", surrogate_section(data)},
      {"#failures", "Failures", failure_section(data)},
      {"#time", "Time", time_section(data)},
      {"#settings", "Settings", settings_section(data)},
  };
  const std::string method = data.draw == ReportData::Draw::audited ? data.method + ", audited" : data.method;
  Markup head = tag("div", tag("h1", {}, named(data.name)) +
                               tag("p", {},
                                   named(fmt::format("{}, method {}, seed {}, {}", data.problem, method,
                                                     data.seed, data.created_at))));
  Markup main = tag("header", head + theme_button()) + verdict_section(data, found) + contents(parts);
  for (const Part& part : parts) main += part.content;
  main += tag("footer", fmt::format("Made by Hunch {} on {}.", data.version, data.created_at));
  return html_page(policy(policy_hash(page_script()), ""), data.name + " - Hunch", tag("main", main),
                   script_tag(page_script()));
}

std::string live_policy() {
  return policy(policy_hash(page_script()) + " " + policy_hash(live_script()), "; connect-src 'self'");
}

std::string live_page(const std::string& name) {
  const Markup body =
      tag("p", {{"class", "status"}, {"id", "status"}, {"role", "status"}}, "asking how the run goes") +
      tag("main", {{"id", "report"}}, paragraph("The first report comes after some seconds.")) +
      tag("noscript",
          tag("p", Markup::text("This page renews itself by a script; without, open ") +
                       tag("a", {{"href", "/report.html"}}, "the report as it is now") + Markup::text(".")));
  return html_page(live_policy(), name + " - Hunch, live", body,
                   script_tag(page_script()) + script_tag(live_script()));
}

}  // namespace hunch
