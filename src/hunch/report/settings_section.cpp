#include "hunch/report/sections.hpp"

namespace hunch {

Markup settings_section(const ReportData& data) {
  Markup rows;
  for (const auto& [name, value] : data.settings)
    rows +=
        tag("tr", tag("th", {{"scope", "row"}}, named(name)) + tag("td", {{"class", "words"}}, named(value)));
  Markup made =
      tag("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Settings"}},
          tag("table", {{"class", "settings"}}, tag("tbody", rows)));
  if (!data.reproduce.empty()) {
    std::string commands;
    for (const std::string& command : data.reproduce) commands += command + "\n";
    made +=
        tag("h3", "To make the same draws again") + tag("pre", {{"tabindex", "0"}}, tag("code", commands));
  }
  if (!data.config.empty())
    made += tag("details", tag("summary", "The whole config") +
                               tag("pre", {{"tabindex", "0"}}, tag("code", data.config)));
  return section("settings", "Settings and how to reproduce", made);
}

}  // namespace hunch
