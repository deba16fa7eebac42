// Answer: how the bytes that a model outside this process sent become a defined outcome.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "hunch/core/types.hpp"
#include "hunch/model/model.hpp"

namespace hunch {

// A longer answer is a protocol failure; whoever reads one may stop after this many bytes.
inline constexpr std::size_t largest_answer = std::size_t{1} << 20;

// One answer in full: a bare number ("-12.5", "-inf", "nan"), or a JSON object
// {"log_likelihood": x, "gradient": [..]} whose numbers may also be NaN, Infinity, -Infinity or strings of
// those. Unknown keys are passed over. Minus infinity is `zero`, as is a number below what a double can hold;
// plus infinity and a number too large are `nan`. Whatever else it is becomes `protocol`, with its beginning
// quoted.
Outcome read_answer(std::string_view text, Index dimension, Want want);

// The outcome that these numbers amount to. A gradient that nobody asked for is kept when it is finite.
Outcome judge(Exact exact, Index dimension, Want want);

// Bytes from outside as printable ASCII, escaped as in C.
std::string printable(std::string_view bytes);

// The beginning of bytes from outside, printable and in quotes: at most 80 characters between them.
std::string quoted_beginning(std::string_view bytes);

}  // namespace hunch
