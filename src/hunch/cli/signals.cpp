#include "hunch/cli/signals.hpp"

#include <csignal>
#include <initializer_list>

namespace hunch::cli {

namespace {

volatile std::sig_atomic_t caught = 0;

void remember(int signal) {
  caught = signal;
}

}  // namespace

void listen_for_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  for (int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaction(signal, &action, nullptr);
}

int caught_signal() {
  return caught;
}

}  // namespace hunch::cli
