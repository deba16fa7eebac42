// Record: one attempt at an evaluation, as it was made, and as a row that shows when it has been tampered
// with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hunch/core/types.hpp"
#include "hunch/model/model.hpp"

namespace hunch {

class Statement;

struct Record {
  Vector theta;
  Want want;
  int attempt;  // 1, 2, ...: over all sessions; 0: none was made, the answer is another run's
  Outcome outcome;
  double seconds;
  int worker;

  bool taken_over() const { return attempt == 0; }
};

// How an outcome is called in the store and in what is exported from it: "value", "zero", "nan" ...
std::string_view name_of(OutcomeKind kind);

// The doubles' bits, eight bytes each, least significant first: the same text for the same bits only.
std::string bits_of(const Vector& values);

// The columns of a row, in the order in which bind_row and read_row use them.
inline constexpr const char* row_columns =
    "id, theta, want, attempt, outcome, log_likelihood, gradient, seconds, worker, message, checksum";

// The checksum of a row: FNV-1a of 64 bits over its number and all that it holds, lengths included.
// It detects damage and edits by accident; it is no signature.
void insert_row(Statement& insert, Index number, const Record& record);

// Nothing if the row is not exactly what insert_row wrote as this number.
std::optional<Record> read_row(const Statement& row, Index number);

}  // namespace hunch
