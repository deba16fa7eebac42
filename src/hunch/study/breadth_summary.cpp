#include "hunch/study/breadth_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace hunch {
namespace {

using Cells = std::vector<std::string>;

const Cells row_heads = {"posterior",
                         "d",
                         "prior",
                         "half",
                         "exactness",
                         "seed",
                         "verdict",
                         "evaluations",
                         "to bulk",
                         "to found",
                         "rounds to found",
                         "to learned",
                         "rounds",
                         "own ms per eval",
                         "mean error",
                         "sd ratio",
                         "note"};

std::string text_of(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : "-";
}

Cells cells_of(const BreadthRow& row) {
  const auto scored = [&](double BreadthScore::*field) {
    return row.score ? fmt::format("{:.3g}", (*row.score).*field) : "-";
  };
  return {row.posterior,
          std::to_string(row.dimension),
          name_of(row.prior),
          name_of(row.half),
          row.exactness,
          std::to_string(row.seed),
          name_of(row.verdict),
          std::to_string(row.evaluations),
          text_of(row.evaluations_to_bulk),
          text_of(row.evaluations_to_found),
          text_of(row.rounds_to_found),
          text_of(row.evaluations_to_learned),
          std::to_string(row.rounds),
          fmt::format("{:.3g}", row.own_ms_per_evaluation),
          scored(&BreadthScore::worst_mean_error_sd),
          scored(&BreadthScore::worst_sd_ratio),
          row.note};
}

const Cells& summary_heads() {
  static const Cells heads = [] {
    Cells list = {"half", "group", "exactness", "runs"};
    for (const BreadthVerdict verdict : breadth_verdicts) list.push_back(name_of(verdict));
    list.emplace_back("median evaluations");
    return list;
  }();
  return heads;
}

Cells cells_of(const BreadthSummary& summary) {
  Cells cells = {name_of(summary.half), summary.group, summary.exactness, std::to_string(summary.runs)};
  for (const int count : summary.counts) cells.push_back(std::to_string(count));
  cells.push_back(fmt::format("{:g}", summary.median_evaluations));
  return cells;
}

using Table = std::vector<Cells>;  // the first line has the heads

Table table_of(const std::vector<BreadthRow>& rows) {
  Table table = {row_heads};
  for (const BreadthRow& row : rows) table.push_back(cells_of(row));
  return table;
}

Table table_of(const std::vector<BreadthSummary>& summaries) {
  Table table = {summary_heads()};
  for (const BreadthSummary& summary : summaries) table.push_back(cells_of(summary));
  return table;
}

// Columns as wide as their longest cell, two blanks apart.
std::string as_text(const Table& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const Cells& cells : table)
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  std::string text;
  for (const Cells& cells : table) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += fmt::format("{:<{}}  ", cells[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line;
    text += '\n';
  }
  return text;
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string doubled;
  for (const char c : cell) doubled.append(c == '"' ? 2 : 1, c);
  return fmt::format("\"{}\"", doubled);
}

std::string as_markdown(const Table& table) {
  std::string text;
  for (const Cells& cells : table) {
    text += fmt::format("| {} |\n", fmt::join(cells, " | "));
    if (&cells != &table.front()) continue;
    for (std::size_t i = 0; i < cells.size(); ++i) text += "|---";
    text += "|\n";
  }
  return text;
}

using Wanted = std::function<bool(const BreadthRow&)>;

BreadthSummary summary_of(const std::vector<BreadthRow>& rows, BreadthSummary summary, const Wanted& wanted) {
  std::vector<std::int64_t> evaluations;
  for (const BreadthRow& row : rows) {
    if (row.half != summary.half || row.exactness != summary.exactness || !wanted(row)) continue;
    ++summary.runs;
    ++summary.counts[static_cast<std::size_t>(row.verdict)];
    evaluations.push_back(row.evaluations);
  }
  std::sort(evaluations.begin(), evaluations.end());
  const std::size_t n = evaluations.size();
  summary.median_evaluations = 0.5 * static_cast<double>(evaluations[(n - 1) / 2] + evaluations[n / 2]);
  return summary;
}

}  // namespace

std::vector<BreadthSummary> summarise(const std::vector<BreadthRow>& rows) {
  std::vector<BreadthSummary> groups, halves;
  const auto known = [](const std::vector<BreadthSummary>& list, const BreadthRow& row,
                        const std::string& group) {
    return std::any_of(list.begin(), list.end(), [&](const BreadthSummary& one) {
      return one.half == row.half && one.exactness == row.exactness && one.group == group;
    });
  };
  for (const BreadthRow& row : rows) {
    if (!known(groups, row, row.group))
      groups.push_back(summary_of(rows, {row.half, row.group, row.exactness},
                                  [&](const BreadthRow& other) { return other.group == row.group; }));
    if (!known(halves, row, "all"))
      halves.push_back(
          summary_of(rows, {row.half, "all", row.exactness}, [](const BreadthRow&) { return true; }));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.half < b.half; });
  groups.insert(groups.end(), halves.begin(), halves.end());
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.half < b.half; });
  return groups;
}

std::string to_text(const std::vector<BreadthRow>& rows) {
  return as_text(table_of(rows)) + "\n" + as_text(table_of(summarise(rows)));
}

std::string to_csv(const std::vector<BreadthRow>& rows) {
  std::string text;
  for (const Cells& cells : table_of(rows)) {
    Cells safe;
    for (const std::string& cell : cells) safe.push_back(quoted(cell));
    text += fmt::format("{}\n", fmt::join(safe, ","));
  }
  return text;
}

std::string to_markdown(const std::vector<BreadthRow>& rows) {
  return as_markdown(table_of(summarise(rows))) + "\n" + as_markdown(table_of(rows));
}

}  // namespace hunch
