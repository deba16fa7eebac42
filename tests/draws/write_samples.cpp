// Writes one fixed result in every format, and beside it, by other means, what a reader must find there:
// expected.bin (float64: chain, draw, parameter), expected_lp.bin, expected_evaluations.bin,
// expected_names.txt, expected_summary.csv. Usage: write_samples FOLDER
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "draws/sample_export.hpp"
#include "hunch/diagnostics/summary.hpp"
#include "hunch/draws/cmdstan_writer.hpp"
#include "hunch/draws/csv_writer.hpp"
#include "hunch/draws/getdist_writer.hpp"
#include "hunch/draws/netcdf_writer.hpp"

namespace {

void write_expected(const hunch::Export& result, const std::filesystem::path& folder) {
  std::ofstream values(folder / "expected.bin", std::ios::binary);
  std::ofstream log_posterior(folder / "expected_lp.bin", std::ios::binary);
  const auto put = [](std::ofstream& file, double x) {
    file.write(reinterpret_cast<const char*>(&x), sizeof x);
  };
  for (hunch::Index c = 0; c < result.draws.chains(); ++c)
    for (hunch::Index i = 0; i < result.draws.length(c); ++i) {
      put(log_posterior, result.chains[static_cast<std::size_t>(c)].log_posterior(i));
      for (hunch::Index p = 0; p < result.draws.parameters(); ++p) put(values, result.draws.chain(c)(i, p));
    }
  std::ofstream evaluations(folder / "expected_evaluations.bin", std::ios::binary);
  for (const auto& theta : result.evaluations->theta.rowwise())
    for (const double x : theta) put(evaluations, x);
  std::ofstream names(folder / "expected_names.txt");
  for (const std::string& name : result.draws.names()) names << name << '\n';
  std::ofstream summary(folder / "expected_summary.csv");
  summary << std::setprecision(17) << "mean,sd,rhat,ess_bulk,ess_tail\n";
  for (const hunch::ParameterSummary& row : hunch::summarise(result.draws))
    summary << row.mean.value() << ',' << row.sd.value() << ',' << row.rhat.value() << ','
            << row.ess_bulk.value() << ',' << row.ess_tail.value() << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: write_samples FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  const hunch::Export result = hunch::sample_export();
  write_expected(result, folder);
  hunch::write_cmdstan(result, folder / "cmdstan", hunch::Overwrite::yes);
  hunch::write_netcdf(result, folder / "samples.nc", hunch::Overwrite::yes);
  hunch::write_getdist(result, folder / "getdist", hunch::Overwrite::yes);
  hunch::write_csv(result, folder / "samples.csv", hunch::Overwrite::yes);
}
