#include "hunch/cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

namespace hunch::cli {

namespace {

std::string clock_text(double seconds) {
  const long whole = static_cast<long>(seconds + 0.5);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

ProgressLine::ProgressLine() : begun_(std::chrono::steady_clock::now()), live_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (unfinished_line_) fmt::print(stderr, "\n");
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}

void ProgressLine::show(long done, long total, const std::string& words) {
  const double now = seconds();
  const double interval = live_ ? 0.1 : 5;
  if (done < total && now - shown_at_ < interval) return;
  shown_at_ = now;
  const double left = done > 0 ? now * static_cast<double>(total - done) / static_cast<double>(done) : 0;
  const std::string text = fmt::format("{} of {}  {}  {} taken, about {} left", done, total, words,
                                       clock_text(now), clock_text(left));
  if (live_) {
    fmt::print(stderr, "\r\033[K{}", text);
    unfinished_line_ = true;
  } else {
    fmt::print(stderr, "{}\n", text);
  }
}

}  // namespace hunch::cli
