#include "hunch/problems/posterior_data.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "hunch/problems/posterior_tables.hpp"

namespace hunch {
namespace {

std::vector<std::string> split_at_commas(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

PosteriorData::PosteriorData(const std::string& name) {
  const auto* found = std::find_if(std::begin(posterior_tables), std::end(posterior_tables),
                                   [&](const PosteriorTable& table) { return table.name == name; });
  if (found == std::end(posterior_tables)) throw std::logic_error("no data of the name " + name);
  std::istringstream stream{std::string(found->csv)};
  std::string line;
  std::getline(stream, line);
  names_ = split_at_commas(line);
  std::vector<std::vector<double>> columns(names_.size());
  while (std::getline(stream, line)) {
    const std::vector<std::string> cells = split_at_commas(line);
    for (std::size_t i = 0; i < names_.size(); ++i) columns.at(i).push_back(std::stod(cells.at(i)));
  }
  for (const std::vector<double>& values : columns)
    columns_.emplace_back(Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())));
}

const Vector& PosteriorData::column(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) throw std::logic_error("no column of the name " + name);
  return columns_[static_cast<std::size_t>(found - names_.begin())];
}

}  // namespace hunch
