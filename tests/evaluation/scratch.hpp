// Scratch: a folder that vanishes with the test, and records whose contents follow from their number.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "hunch/core/rng.hpp"
#include "hunch/evaluation/store.hpp"

namespace hunch::scratch {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "hunch-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
    ::chmod(name.c_str(), 0755);
  }
  ~Folder() {
    ::chmod(path_.c_str(), 0755);
    std::filesystem::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline const Identity epidemic = {
    {"parameters", "beta, gamma"}, {"model", "python3 sir.py"}, {"data", "5f3a"}};

inline Vector theta_of(Index number) {
  Rng rng({11, 0, static_cast<std::uint64_t>(number), Purpose::test});
  return rng.normal(3);
}

// The number-th record of a made-up run: answers, with and without gradient, and failures with long messages.
inline Record record_of(Index number) {
  Rng rng({12, 0, static_cast<std::uint64_t>(number), Purpose::test});
  const Want want = number % 3 == 0 ? Want::value_and_gradient : Want::value;
  Outcome outcome{OutcomeKind::value, {rng.normal(), std::nullopt}, ""};
  if (want == Want::value_and_gradient) outcome.exact.gradient = rng.normal(3);
  if (number % 7 == 0) outcome = {OutcomeKind::crash, {}, std::string(1 + rng.below(3000), 'x')};
  return {theta_of(number), want, 1, outcome, rng.uniform(), static_cast<int>(number % 8)};
}

inline bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0;
}

inline bool same(const Outcome& a, const Outcome& b) {
  if (a.kind != b.kind || a.message != b.message) return false;
  if (a.exact.gradient.has_value() != b.exact.gradient.has_value()) return false;
  if (a.exact.gradient && !same_bits(*a.exact.gradient, *b.exact.gradient)) return false;
  return std::memcmp(&a.exact.log_likelihood, &b.exact.log_likelihood, sizeof(double)) == 0;
}

inline bool same(const Record& a, const Record& b) {
  return same_bits(a.theta, b.theta) && a.want == b.want && a.attempt == b.attempt &&
         same(a.outcome, b.outcome) && a.seconds == b.seconds && a.worker == b.worker;
}

// How many of the leading rows are record_of(1), record_of(2), ...
inline Index good_rows(const std::vector<Record>& rows) {
  Index good = 0;
  while (good < static_cast<Index>(rows.size()) && same(rows[good], record_of(good + 1))) ++good;
  return good;
}

inline std::vector<Record> next_records(const Store& store, Index count) {
  std::vector<Record> records;
  for (Index i = 1; i <= count; ++i) records.push_back(record_of(store.size() + i));
  return records;
}

inline std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void overwrite(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

// What the refusal says; a failure of the test if there is none.
template <typename Error, typename Work>
std::string said_by(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

}  // namespace hunch::scratch
