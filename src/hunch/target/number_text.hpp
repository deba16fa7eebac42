// Number text: a double as the shortest decimal that reads back to the same bits, whatever the locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hunch {

std::string number_text(double value);

// The number that is the whole of the text; nothing if there is more, less, or it does not fit a double.
std::optional<double> number_from(std::string_view text);

}  // namespace hunch
