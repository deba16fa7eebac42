// Signals: Ctrl-C, SIGTERM and SIGUSR1 ask a run to stop after the evaluations under way; a second one, or
// ten seconds after SIGTERM, abandons these too; a third one ends the process as it would any other.
#pragma once

#include <chrono>
#include <optional>

#include "hunch/run/watch.hpp"

namespace hunch::cli {

// Schedulers that send SIGTERM send SIGKILL later, the hastiest after half a minute.
inline constexpr std::chrono::seconds grace_after_sigterm{10};

void listen_for_signals();
int caught_signal();  // the latest; 0 if there was none

// How long evaluations under way are waited for.
class Patience {
 public:
  // To be asked again and again while there are any; tells the user once what is being waited for, when asked
  // for the second time: by then nothing more begins.
  Stopping with(int under_way);

 private:
  std::optional<std::chrono::steady_clock::time_point> terminated_;
  bool asked_ = false;
  bool told_ = false;
};

}  // namespace hunch::cli
