#include "hunch/cli/progress.hpp"

#include <fmt/core.h>

namespace hunch::cli {

ProgressLine::ProgressLine() : begun_(std::chrono::steady_clock::now()), live_(people_watch()) {}

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
  if (live_)
    screen_.show({text});
  else
    fmt::print(stderr, "{}\n", text);
}

}  // namespace hunch::cli
