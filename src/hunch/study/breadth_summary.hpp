// BreadthSummary: the runs of the breadth study as tables: one line for each run, and counts of the verdicts.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "hunch/study/breadth.hpp"

namespace hunch {

// The runs of one half, group and exactness.
struct BreadthSummary {
  Half half;
  std::string group;  // "all" for the whole half
  std::string exactness;
  int runs = 0;
  std::array<int, std::size(breadth_verdicts)> counts{};  // in the order of breadth_verdicts
  double median_evaluations = 0;
};

// In the order in which they first appear, the whole half after its groups.
std::vector<BreadthSummary> summarise(const std::vector<BreadthRow>& rows);

// Plain text: the rows, then the counts.
std::string to_text(const std::vector<BreadthRow>& rows);
std::string to_csv(const std::vector<BreadthRow>& rows);  // the rows alone
// Tables of Markdown: the counts, then the rows.
std::string to_markdown(const std::vector<BreadthRow>& rows);

}  // namespace hunch
