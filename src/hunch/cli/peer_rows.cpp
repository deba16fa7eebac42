#include "hunch/cli/peer_rows.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace hunch::cli {

namespace {

Draws read_draws(const std::filesystem::path& path, const Parameters& parameters, Index chains,
                 Index length) {
  const Index d = parameters.dimension();
  std::vector<double> numbers(static_cast<std::size_t>(chains * length * d));
  const auto bytes = static_cast<std::streamsize>(numbers.size() * sizeof(double));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(numbers.data()), bytes);
  if (file.gcount() != bytes || file.peek() != std::ifstream::traits_type::eof())
    throw InputError(path.string() + ": expected " + std::to_string(bytes) + " bytes, of " +
                     std::to_string(chains) + " chains of " + std::to_string(length) + " draws");
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters.list()) names.push_back(parameter.name);
  Draws draws(std::move(names), chains);
  for (Index i = 0; i < chains * length; ++i)
    draws.append(i / length, parameters.theta(Eigen::Map<const Vector>(numbers.data() + i * d, d)));
  return draws;
}

EfficiencyRow peer_row(const nlohmann::json& run, const std::filesystem::path& folder) {
  const Problem problem = make_problem(run.at("target"));
  const auto reference = reference_moments(problem.name);
  if (!reference) throw InputError("the posterior of " + problem.name + " is not known");
  const Index chains = run.at("chains"), length = run.at("length");
  if (chains < 1 || length < 1) throw InputError("a run of " + problem.name + " has no draws");
  EfficiencyRow row;
  row.target = problem.name;
  row.method = run.at("method");
  row.replicate = run.at("replicate");
  row.evaluations = run.at("evaluations");
  row.seconds = run.at("seconds");
  return judged(
      std::move(row),
      read_draws(folder / run.at("positions").get<std::string>(), problem.parameters, chains, length),
      *reference);
}

}  // namespace

std::vector<EfficiencyRow> peer_rows(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path.string() + ": cannot be read");
  std::vector<EfficiencyRow> rows;
  try {
    const nlohmann::json manifest = nlohmann::json::parse(file);
    for (const auto& run : manifest.at("runs")) rows.push_back(peer_row(run, path.parent_path()));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(path.string() + ": " + error.what());
  }
  return rows;
}

}  // namespace hunch::cli
