// Terminal: whether people watch standard error, how much room they have, and lines that stay in one place
// there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hunch::cli {

struct ScreenSize {
  int columns;
  int rows;
};

bool people_watch();       // standard error is a terminal that can move its cursor
ScreenSize screen_size();  // of that terminal, now; 80 x 24 if it does not say

// At most so many bytes, never half a character of UTF-8.
std::string cut(std::string_view text, int longest);

std::string clock_text(double seconds);  // "0:07", "12:30", "1:02:03", "2 days 3:04:05"

// What is shown replaces what was shown before, also when the window was made narrower in between. The last
// lines stay on the screen.
class LiveScreen {
 public:
  void show(const std::vector<std::string>& lines);

 private:
  std::vector<int> shown_;  // the lines' lengths
};

}  // namespace hunch::cli
