#include "hunch/evaluation/record.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "hunch/evaluation/database.hpp"

namespace hunch {

namespace {

static_assert(std::endian::native == std::endian::little, "rows hold little-endian doubles");

constexpr std::array<std::string_view, 7> outcome_names = {"value",   "zero",     "nan", "crash",
                                                           "timeout", "protocol", "lost"};

std::optional<OutcomeKind> outcome_named(std::string_view name) {
  const auto* found = std::find(outcome_names.begin(), outcome_names.end(), name);
  if (found == outcome_names.end()) return std::nullopt;
  return static_cast<OutcomeKind>(found - outcome_names.begin());
}

std::string bits_of_number(double value) {
  return bits_of(Vector::Constant(1, value));
}

std::optional<Vector> vector_of(std::string_view bits) {
  if (bits.size() % sizeof(double) != 0) return std::nullopt;
  Vector values(static_cast<Index>(bits.size() / sizeof(double)));
  if (!bits.empty()) std::memcpy(values.data(), bits.data(), bits.size());
  return values;
}

class Fnv1a {
 public:
  void add(std::string_view bytes) {
    add(static_cast<std::int64_t>(bytes.size()));
    mix(bytes);
  }
  void add(std::int64_t value) {
    std::array<char, sizeof value> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    mix({bytes.data(), bytes.size()});
  }
  std::int64_t sum() const { return static_cast<std::int64_t>(state_); }

 private:
  void mix(std::string_view bytes) {
    for (const char byte : bytes) state_ = (state_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }

  std::uint64_t state_ = 0xcbf29ce484222325u;
};

// A failure has neither value nor gradient, whatever its outcome carries.
struct RowBytes {
  std::string theta;
  std::optional<std::string> log_likelihood, gradient;
};

RowBytes bytes_of(const Record& record) {
  RowBytes bytes{bits_of(record.theta), std::nullopt, std::nullopt};
  if (!record.outcome.answered()) return bytes;
  bytes.log_likelihood = bits_of_number(record.outcome.exact.log_likelihood);
  if (record.outcome.exact.gradient) bytes.gradient = bits_of(*record.outcome.exact.gradient);
  return bytes;
}

// SQLite has neither NaN nor minus zero as a number.
double writable_seconds(const Record& record) {
  return std::isfinite(record.seconds) ? record.seconds + 0.0 : 0.0;
}

std::int64_t checksum(Index number, const Record& record, const RowBytes& bytes) {
  Fnv1a sum;
  sum.add(std::int64_t{number});
  sum.add(bytes.theta);
  sum.add(static_cast<std::int64_t>(record.want));
  sum.add(std::int64_t{record.attempt});
  sum.add(name_of(record.outcome.kind));
  for (const auto& field : {bytes.log_likelihood, bytes.gradient}) {
    sum.add(std::int64_t{field.has_value()});
    sum.add(field.value_or(""));
  }
  sum.add(bits_of_number(writable_seconds(record)));
  sum.add(std::int64_t{record.worker});
  sum.add(record.outcome.message);
  return sum.sum();
}

bool fits_int(std::int64_t value) {
  return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
}

}  // namespace

std::string_view name_of(OutcomeKind kind) {
  return outcome_names[static_cast<std::size_t>(kind)];
}

std::string bits_of(const Vector& values) {
  std::string bits(static_cast<std::size_t>(values.size()) * sizeof(double), '\0');
  if (values.size() > 0) std::memcpy(bits.data(), values.data(), bits.size());
  return bits;
}

void insert_row(Statement& insert, Index number, const Record& record) {
  const RowBytes bytes = bytes_of(record);
  insert.bind(1, std::int64_t{number});
  insert.bind_bytes(2, bytes.theta);
  insert.bind(3, static_cast<std::int64_t>(record.want));
  insert.bind(4, std::int64_t{record.attempt});
  insert.bind_text(5, name_of(record.outcome.kind));
  if (bytes.log_likelihood) insert.bind_bytes(6, *bytes.log_likelihood);
  if (bytes.gradient) insert.bind_bytes(7, *bytes.gradient);
  insert.bind(8, writable_seconds(record));
  insert.bind(9, std::int64_t{record.worker});
  insert.bind_text(10, record.outcome.message);
  insert.bind(11, checksum(number, record, bytes));
  insert.row();
  insert.reset();
}

std::optional<Record> read_row(const Statement& row, Index number) {
  const std::optional<Vector> theta = vector_of(row.bytes(1));
  const std::optional<OutcomeKind> kind = outcome_named(row.bytes(4));
  const std::optional<Vector> value = vector_of(row.bytes(5)), gradient = vector_of(row.bytes(6));
  const std::int64_t want = row.integer(2);
  if (row.integer(0) != number || !theta || !kind || !value || !gradient) return std::nullopt;
  if ((want != 0 && want != 1) || !fits_int(row.integer(3)) || !fits_int(row.integer(8))) return std::nullopt;
  Outcome outcome{*kind, {}, std::string(row.bytes(9))};
  if (value->size() != (outcome.answered() ? 1 : 0)) return std::nullopt;
  if (outcome.answered()) outcome.exact.log_likelihood = (*value)[0];
  if (!row.nothing(6)) outcome.exact.gradient = *gradient;
  Record record{
      *theta,      static_cast<Want>(want),         static_cast<int>(row.integer(3)), std::move(outcome),
      row.real(7), static_cast<int>(row.integer(8))};
  if (row.integer(10) != checksum(number, record, bytes_of(record))) return std::nullopt;
  return record;
}

}  // namespace hunch
