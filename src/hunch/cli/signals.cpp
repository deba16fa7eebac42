#include "hunch/cli/signals.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

namespace hunch::cli {

namespace {

constexpr std::array<int, 3> heeded = {SIGINT, SIGTERM, SIGUSR1};

volatile std::sig_atomic_t caught = 0;
volatile std::sig_atomic_t terminating = 0;  // SIGTERM was among them
volatile std::sig_atomic_t insisting = 0;    // there was a second one

void remember(int signal) {
  // The first SIGTERM has its own grace: it may follow a SIGUSR1 that announced it.
  const bool first = caught == 0 || (signal == SIGTERM && terminating == 0);
  if (!first) {
    insisting = 1;
    for (const int each : heeded) std::signal(each, SIG_DFL);
  }
  if (signal == SIGTERM) terminating = 1;
  caught = signal;
}

}  // namespace

void listen_for_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  for (const int signal : heeded) sigaction(signal, &action, nullptr);
}

int caught_signal() {
  return caught;
}

Stopping Patience::with(int under_way) {
  if (caught == 0) return Stopping::not_yet;
  const auto now = std::chrono::steady_clock::now();
  if (terminating != 0 && !terminated_) terminated_ = now;
  const bool over = insisting != 0 || (terminated_ && now - *terminated_ >= grace_after_sigterm);
  if (over) return Stopping::at_once;
  if (!asked_ || told_) {
    asked_ = true;
    return Stopping::after_those_under_way;
  }
  told_ = true;
  const char* line_end = isatty(STDERR_FILENO) != 0 ? "\n" : "";  // of the progress
  fmt::print(stderr, "{}stopping after the {} evaluation{} under way{}; once more to abandon {}\n", line_end,
             under_way, under_way == 1 ? "" : "s",
             terminated_ ? fmt::format(", or in {} s", grace_after_sigterm.count()) : "",
             under_way == 1 ? "it" : "them");
  return Stopping::after_those_under_way;
}

}  // namespace hunch::cli
