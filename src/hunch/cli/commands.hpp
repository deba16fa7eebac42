// Commands: what `hunch` can be told to do; each adds itself to the command line and returns an exit code
// when run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace hunch::cli {

// Exit codes that users' scripts may rely on.
inline constexpr int exit_good = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_model_unavailable = 4;
inline constexpr int exit_budget_spent = 5;   // before the goal was reached, or before all draws were made
inline constexpr int exit_not_converged = 3;  // finished, but the diagnostics say: not enough

// Set by the command that was chosen; called once the whole line is known to be right.
using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);  // run, resume
void add_status(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);  // summary, diagnose, export
void add_report(CLI::App& app, Action& action);
void add_watch(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);  // check, init
void add_paper(CLI::App& app, Action& action);
void add_study(CLI::App& app, Action& action);
void add_breadth(CLI::App& study, Action& action);  // study breadth
void add_sample(CLI::App& app, Action& action);
void add_problems(CLI::App& app, Action& action);

}  // namespace hunch::cli
