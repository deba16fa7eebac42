// The program `hunch`: reads the command line, runs one command, turns every error into one clear line.
#include <fmt/core.h>

#include <exception>

#include "hunch/cli/commands.hpp"
#include "hunch/core/types.hpp"
#include "hunch/evaluation/store_error.hpp"
#include "hunch/model/umbridge_model.hpp"

namespace {

int complain(int code, const std::string& message) {
  fmt::print(stderr, "hunch: {}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace hunch::cli;
  CLI::App app("Hunch: exact posterior draws from few likelihood evaluations", "hunch");
  app.set_version_flag("--version", HUNCH_VERSION);
  app.require_subcommand(1);
  Action action;
  add_check(app, action);
  add_run(app, action);
  add_status(app, action);
  add_inspect(app, action);
  add_report(app, action);
  add_watch(app, action);
  add_sample(app, action);
  add_problems(app, action);
  add_paper(app, action);
  add_study(app, action);

  std::string known;
  bool found = argc < 2 || argv[1][0] == '-';
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known += (known.empty() ? "" : ", ") + command->get_name();
    found = found || command->get_name() == argv[1];
  }
  if (!found)
    return complain(exit_usage, fmt::format("unknown command '{}'; the commands are {}", argv[1], known));

  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return complain(exit_usage, std::string(error.what()) + " (see hunch --help)");
  } catch (const hunch::ModelUnavailable& error) {
    return complain(exit_model_unavailable, error.what());
  } catch (const hunch::StoreRefused& error) {
    return complain(exit_usage, error.what());
  } catch (const hunch::InputError& error) {
    return complain(exit_usage, error.what());
  } catch (const std::exception& error) {
    return complain(exit_failed, error.what());
  }
}
