#include "hunch/report/figure.hpp"

#include <fmt/core.h>

namespace hunch {

Markup figure(const std::string& id, const Markup& caption, const std::string& words, const Plot& plot) {
  return tag("figure", tag("figcaption", caption) + plot.svg(id, words));
}

std::string short_name(const std::string& name, std::size_t most_bytes) {
  if (name.size() <= most_bytes) return name;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end) + "\xE2\x80\xA6";
}

std::string short_end(const std::string& text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  std::size_t start = text.size() - most_bytes;
  while (start < text.size() && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) ++start;
  return "\xE2\x80\xA6" + text.substr(start);
}

std::string chain_colour(long chain) {
  return fmt::format("c{}", chain % 8);
}

Markup legend(const std::vector<LegendEntry>& entries) {
  Markup items;
  for (const LegendEntry& entry : entries)
    items += tag("li", tag("span", {{"class", "swatch " + entry.colour}, {"aria-hidden", "true"}}, Markup()) +
                           entry.words);
  return tag("ul", {{"class", "legend"}}, items);
}

}  // namespace hunch
