#include "hunch/draws/netcdf_writer.hpp"

#include "hunch/draws/netcdf_file.hpp"
#include "hunch/draws/parameter_names.hpp"

namespace hunch {

namespace {

// ArviZ looks for these on every group.
void describe(const NetcdfGroup& group, const Export& result) {
  group.attribute("created_at", result.created_at);
  group.attribute("creation_library", std::string("hunch"));
  group.attribute("inference_library", std::string("hunch"));
  group.attribute("inference_library_version", result.version);
  group.attribute("sampling_time", result.seconds);
  group.attribute("tuning_steps", static_cast<std::int64_t>(result.warmup_iterations));
  group.attribute("method", result.method);
  group.attribute("seed", result.seed);
}

std::vector<int> chain_and_draw(const NetcdfGroup& group, Index chains, Index draws) {
  return {group.counted_dimension("chain", chains), group.counted_dimension("draw", draws)};
}

void write_draws(const NetcdfGroup& group, const Draws& draws) {
  const std::vector<int> dimensions = chain_and_draw(group, draws.chains(), common_length(draws, "netCDF"));
  const std::vector<std::string> names = netcdf_names(draws.names(), {"chain", "draw"});
  for (std::size_t p = 0; p < names.size(); ++p) {
    // Draws x chains, column after column, is (chain, draw) in C order.
    const Matrix values = draws.parameter(static_cast<Index>(p));
    const int variable = group.numbers(names[p], dimensions, values.data());
    group.attribute_of(variable, "long_name", draws.names()[p]);
  }
}

Vector joined(const std::vector<ChainRecord>& chains, Vector ChainRecord::*column, Index length) {
  Vector all(length * static_cast<Index>(chains.size()));
  for (std::size_t c = 0; c < chains.size(); ++c)
    all.segment(static_cast<Index>(c) * length, length) = chains[c].*column;
  return all;
}

std::vector<bool> joined(const std::vector<ChainRecord>& chains, std::vector<bool> ChainRecord::*column) {
  std::vector<bool> all;
  for (const ChainRecord& chain : chains)
    all.insert(all.end(), (chain.*column).begin(), (chain.*column).end());
  return all;
}

void write_sample_stats(const NetcdfGroup& group, const Export& result) {
  const Index length = result.draws.length(0);
  const std::vector<ChainRecord>& chains = result.chains;
  const std::vector<int> dimensions = chain_and_draw(group, result.draws.chains(), length);
  group.numbers("lp", dimensions, joined(chains, &ChainRecord::log_posterior, length).data());
  if (!chains.front().accepted.empty())
    group.booleans("accepted", dimensions, joined(chains, &ChainRecord::accepted));
  if (!chains.front().evaluated.empty())
    group.booleans("evaluated", dimensions, joined(chains, &ChainRecord::evaluated));
  if (chains.front().stage1_probability.size() > 0)
    group.numbers("stage1_accept_prob", dimensions,
                  joined(chains, &ChainRecord::stage1_probability, length).data());
}

void write_evaluations(const NetcdfGroup& group, const EvaluationTable& table,
                       const std::vector<std::string>& names) {
  const int evaluation = group.counted_dimension("evaluation", table.theta.rows());
  const int parameter = group.dimension("parameter", table.theta.cols());
  group.texts("parameter", {parameter}, names);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> theta = table.theta;
  group.numbers("theta", {evaluation, parameter}, theta.data());
  group.numbers("log_likelihood", {evaluation}, table.log_likelihood.data());
  group.texts("outcome", {evaluation}, table.outcome);
}

}  // namespace

void write_netcdf(const Export& result, const std::filesystem::path& file, Overwrite overwrite) {
  validate(result);
  common_length(result.draws, "netCDF");
  WholeFiles files(overwrite);
  NetcdfFile netcdf(files.stage(file), file);
  const auto described_group = [&](const char* name) {
    const NetcdfGroup group = netcdf.root().group(name);
    describe(group, result);
    return group;
  };
  describe(netcdf.root(), result);
  write_draws(described_group("posterior"), result.draws);
  write_sample_stats(described_group("sample_stats"), result);
  if (result.warmup) write_draws(described_group("warmup_posterior"), *result.warmup);
  if (result.evaluations)
    write_evaluations(described_group("evaluations"), *result.evaluations, result.draws.names());
  netcdf.close();
  files.publish();
}

}  // namespace hunch
