// NumberColumn: how numbers are written in text files that other tools read.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace hunch {

// 17 significant digits, so that reading gives back the same double; NaN, Inf and -Inf are spelled as R,
// Python and Stan's readers all take them.
inline void append_number(fmt::memory_buffer& text, double x) {
  const auto out = std::back_inserter(text);
  if (std::isnan(x))
    fmt::format_to(out, "NaN");
  else if (std::isinf(x))
    fmt::format_to(out, "{}", x > 0 ? "Inf" : "-Inf");
  else
    fmt::format_to(out, "{:.17g}", x);
}

}  // namespace hunch
