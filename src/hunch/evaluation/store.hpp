// Store: every evaluation that was ever paid for, in one SQLite file, safe on disk before its number is used.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "hunch/evaluation/identity.hpp"
#include "hunch/evaluation/record.hpp"
#include "hunch/evaluation/store_error.hpp"

namespace hunch {

class Database;
class FileLock;
class Statement;

// full: an acknowledged row survives a power cut (one or more syncs of the disk for each transaction).
// relaxed: it survives the death of this process, at any instant, but a power cut may spoil the file.
enum class Durability { full, relaxed };

struct StoreContents {
  Identity identity;
  std::vector<Record> records;  // in row order
};

// All of a store, unchanged, whoever it belongs to. StoreRefused if it is in use, not ours, or damaged.
StoreContents read_store(const std::filesystem::path& file);

// To be used by one thread at a time. No row is ever changed or removed.
class Store {
 public:
  // Makes the file, or opens it if it exists; it is this object's alone until destroyed.
  // StoreRefused: in use, another identity (the first difference is named), not a store, or damaged; the file
  // is then left as it was. StoreFailure: the disk.
  Store(const std::filesystem::path& file, const Identity& identity, Durability durability);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // One transaction; durable on return. StoreFailure: nothing recorded before is lost, these may be, and
  // this object is of no more use: every later record() throws too.
  void record(const std::vector<Record>& records);

  // Takes over the answers of another run of the same likelihood that are not known here; says how many rows.
  // StoreRefused if the identities differ in more than entries named "prior...".
  Index adopt(const std::filesystem::path& other);

  // The earliest answer for exactly these bits that holds what is wanted: a value with gradient answers a
  // request for a value, without its gradient; zero answers any. Failures are no answers.
  std::optional<Outcome> find(const Vector& theta, Want want) const;

  int failed_attempts(const Vector& theta, Want want) const;
  std::optional<Outcome> last_failure(const Vector& theta, Want want) const;

  const std::vector<Record>& all() const { return records_; }  // in row order
  Index size() const { return static_cast<Index>(records_.size()); }
  Index transactions() const { return transactions_; }  // of record(), by this object
  const std::filesystem::path& path() const { return path_; }

 private:
  // Rows of one theta: the answers, and the failures by what was wanted.
  struct Known {
    std::optional<std::size_t> value, value_and_gradient;
    std::vector<std::size_t> failures[2];
  };

  void open(Durability durability);
  void write(const std::vector<Record>& records);
  void remember(Record record);
  const std::vector<std::size_t>* failures(const Vector& theta, Want want) const;

  std::filesystem::path path_;
  Identity identity_;
  std::unique_ptr<FileLock> lock_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statement> insert_;
  std::vector<Record> records_;
  std::unordered_map<std::string, Known> known_;  // by the bits of theta
  Index transactions_ = 0;
  std::optional<std::string> failure_;
};

}  // namespace hunch
