// ProgressLine: how far a long job is: one live line on a terminal, a plain line every few seconds elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "hunch/cli/terminal.hpp"

namespace hunch::cli {

class ProgressLine {
 public:
  ProgressLine();

  // done of total, and a few words; adds the time taken and the time left.
  void show(long done, long total, const std::string& words);
  double seconds() const;

 private:
  std::chrono::steady_clock::time_point begun_;
  double shown_at_ = -1e9;
  bool live_;
  LiveScreen screen_;
};

}  // namespace hunch::cli
