#include <fmt/core.h>

#include <memory>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/report_source.hpp"
#include "hunch/cli/told.hpp"

namespace hunch::cli {

namespace {

int report(const std::string& folder, const std::string& output) {
  const Told told = told_or_refused(folder);
  const std::filesystem::path file =
      output.empty() ? told.directory.folder() / "report.html" : std::filesystem::path(output);
  write_report(file, report_of(told.job, told.result, {folder, told.store, told.times().seconds}));
  fmt::print("{}\n", file.string());
  return exit_good;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("report", "Write the page about a run: one HTML file that opens anywhere");
  auto folder = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  command->add_option("directory", *folder, "Directory of the run")->required();
  command->add_option("--output,--out", *output, "File to write (report.html in the run's directory)");
  command->callback([&action, folder, output] { action = [=] { return report(*folder, *output); }; });
}

}  // namespace hunch::cli
