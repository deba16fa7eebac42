// Figure: a plot with its caption and legend, and how names and chains look in all of them.
#pragma once

#include <string>
#include <vector>

#include "hunch/report/plot.hpp"

namespace hunch {

// A plot with its caption; the caption is part of what is read aloud.
Markup figure(const std::string& id, const Markup& caption, const std::string& words, const Plot& plot);

struct LegendEntry {
  std::string colour;  // the class
  Markup words;
};
Markup legend(const std::vector<LegendEntry>& entries);

// A name where there is little room.
std::string short_name(const std::string& name, std::size_t most_bytes = 26);

// The end of a long text, which is where a traceback says what went wrong.
std::string short_end(const std::string& text, std::size_t most_bytes);

// The class that colours a chain.
std::string chain_colour(long chain);

}  // namespace hunch
