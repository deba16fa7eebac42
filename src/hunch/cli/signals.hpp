// Signals: Ctrl-C, SIGTERM and SIGUSR1 ask a run to stop between two rounds; a second one ends it at once.
#pragma once

namespace hunch::cli {

void listen_for_signals();
int caught_signal();  // 0 if none was

}  // namespace hunch::cli
