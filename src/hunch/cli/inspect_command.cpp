#include <fmt/core.h>

#include <memory>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/summary_text.hpp"
#include "hunch/cli/told.hpp"
#include "hunch/draws/cmdstan_writer.hpp"
#include "hunch/draws/csv_writer.hpp"
#include "hunch/draws/getdist_writer.hpp"
#include "hunch/draws/netcdf_writer.hpp"
#include "hunch/run/run_export.hpp"

namespace hunch::cli {

namespace {

int print_told_summary(const std::string& folder, bool json) {
  const Told told = told_or_refused(folder);
  const auto summary = told.summary();
  if (json) {
    fmt::print("{}\n", to_json(summary, told.result, told.times()).dump(2));
  } else if (summary.empty() && (told.result.certificate || !told.result.doubts.empty())) {
    print_bill(told.result);
  } else if (summary.empty()) {
    fmt::print("no draws are kept yet; go on with: hunch resume {}\n", folder);
  } else {
    print_summary(summary);
    print_bill(told.result);
  }
  return exit_good;
}

int diagnose(const std::string& folder, bool json) {
  const Told told = told_or_refused(folder);
  const auto summary = told.summary();
  if (summary.empty() && !told.result.doubts.empty())
    throw InputError(folder + " has no draws: " + told.result.doubts.front());
  if (summary.empty())
    throw InputError(folder + " has no kept draws yet; go on with: hunch resume " + folder);
  const bool good = told.result.doubts.empty() && converged(summary, told.result.draws.chains());
  if (json) {
    auto out = to_json(summary, told.result, told.times());
    out["converged"] = good;
    fmt::print("{}\n", out.dump(2));
    return good ? exit_good : exit_not_converged;
  }
  for (const std::string& doubt : told.result.doubts) fmt::print("not to be trusted: {}\n", doubt);
  for (const ParameterSummary& p : summary) {
    const double enough = 100.0 * static_cast<double>(told.result.draws.chains());
    const auto complain = [&](const std::string& what) { fmt::print("{}: {}\n", p.name, what); };
    if (!p.rhat)
      complain("R-hat is not defined: the draws are constant or not finite");
    else if (*p.rhat > 1.01)
      complain(fmt::format("R-hat is {:.3f}, above 1.01: the chains disagree", *p.rhat));
    if (p.ess_bulk.value_or(0) < enough)
      complain(fmt::format("bulk ESS is {:.0f}, below {:.0f}: means are uncertain", p.ess_bulk.value_or(0),
                           enough));
    if (p.ess_tail.value_or(0) < enough)
      complain(fmt::format("tail ESS is {:.0f}, below {:.0f}: quantiles are uncertain",
                           p.ess_tail.value_or(0), enough));
  }
  fmt::print(
      "{}\n",
      good ? "converged: R-hat at most 1.01 and at least 100 effective draws a chain, for every parameter"
           : "not converged: keep more draws");
  return good ? exit_good : exit_not_converged;
}

int export_run(const std::string& folder, const std::string& format, const std::string& out,
               Overwrite overwrite) {
  const Told told = told_or_refused(folder);
  if (!told.has_draws())
    throw InputError(folder + " has no kept draws yet; go on with: hunch resume " + folder);
  const Export result =
      to_export(told.job, told.result, told.store, told.times().seconds.value_or(told.model_seconds));
  const std::filesystem::path inside = told.directory.folder();
  const auto target = [&](const char* name) {
    return out.empty() ? inside / name : std::filesystem::path(out);
  };
  std::filesystem::path written;
  if (format == "cmdstan")
    write_cmdstan(result, written = target("cmdstan"), overwrite);
  else if (format == "netcdf")
    write_netcdf(result, written = target("draws.nc"), overwrite);
  else if (format == "getdist")
    write_getdist(result, written = target("getdist"), overwrite);
  else
    write_csv(result, written = target("draws.csv"), overwrite);
  fmt::print("{}\n", written.string());
  return exit_good;
}

void add_teller(CLI::App& app, Action& action, const std::string& name, const std::string& meaning,
                int (*tell)(const std::string&, bool)) {
  auto* command = app.add_subcommand(name, meaning);
  auto folder = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("directory", *folder, "Directory of the run")->required();
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&action, folder, json, tell] { action = [=] { return tell(*folder, *json); }; });
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  add_teller(app, action, "summary", "Means, quantiles and diagnostics of a run's draws", print_told_summary);
  add_teller(app, action, "diagnose", "Whether a run's draws can be trusted, and what to do if not",
             diagnose);

  auto* command = app.add_subcommand("export", "Write a run's draws in another tool's format");
  auto folder = std::make_shared<std::string>(), format = std::make_shared<std::string>(),
       out = std::make_shared<std::string>();
  auto force = std::make_shared<bool>(false);
  command->add_option("directory", *folder, "Directory of the run")->required();
  command->add_option("--to", *format, "cmdstan, netcdf, getdist or csv")
      ->required()
      ->check(CLI::IsMember({"cmdstan", "netcdf", "getdist", "csv"}));
  command->add_option("--out", *out, "File, folder or root to write (inside the run's directory)");
  command->add_flag("--force", *force, "Overwrite what is there");
  command->callback([&action, folder, format, out, force] {
    action = [=] { return export_run(*folder, *format, *out, *force ? Overwrite::yes : Overwrite::no); };
  });
}

}  // namespace hunch::cli
