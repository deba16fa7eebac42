#include "hunch/evaluation/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "hunch/evaluation/database.hpp"
#include "hunch/evaluation/file_lock.hpp"
#include "hunch/evaluation/store_file.hpp"

namespace hunch {

namespace {

void refuse_unwritable_folder(const std::filesystem::path& folder) {
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    throw StoreRefused(fmt::format("cannot write in {}: {}", folder.string(), std::strerror(errno)));
}

std::filesystem::path lock_of(const std::filesystem::path& file) {
  return file.string() + ".lock";
}

// Runs `work`, and tells what it throws as a store's own error, with the file's name.
template <typename Work>
auto in_words(const std::filesystem::path& file, const Work& work) {
  try {
    return work();
  } catch (const DatabaseError& error) {
    if (error.in_use())
      throw StoreRefused(fmt::format("{} is in use by {}", file.string(), holder_of(lock_of(file))));
    const std::string said = fmt::format("cannot use {}: {}", file.string(), error.what());
    if (error.disk()) throw StoreFailure(said);
    throw StoreRefused(said);
  } catch (const std::filesystem::filesystem_error& error) {
    throw StoreFailure(error.what());
  } catch (const StoreRefused& error) {
    throw StoreRefused(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace

StoreContents read_store(const std::filesystem::path& file) {
  return in_words(file, [&] {
    refuse_impostor(file);
    Database database(file, Access::existing);
    database.execute("BEGIN");
    check_store_file(database);
    return contents_of(database);
  });
}

Store::Store(const std::filesystem::path& file, const Identity& identity, Durability durability)
    : path_(file), identity_(identity) {
  refuse_unwritable_folder(std::filesystem::absolute(file).parent_path());
  lock_ = std::make_unique<FileLock>(lock_of(file), file);
  in_words(file, [&] {
    if (!std::filesystem::exists(std::filesystem::symlink_status(file))) make_store_file(file, identity);
    refuse_impostor(file);
    open(durability);
  });
}

void Store::open(Durability durability) {
  database_ = std::make_unique<Database>(path_, Access::existing);
  // In this mode the lock taken here is kept, and a journal is ended by a synced write instead of a removal.
  database_->execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE");
  if (!database_->writable()) throw StoreRefused("it cannot be written");
  check_store_file(*database_);
  StoreContents contents = contents_of(*database_);
  database_->execute("COMMIT");
  if (const auto difference = first_difference(contents.identity, identity_))
    throw StoreRefused("belongs to another run; " + *difference);
  if (database_->text_of("PRAGMA journal_mode=DELETE") != "delete")
    throw StoreRefused("it does not take a rollback journal");
  database_->execute(durability == Durability::full ? "PRAGMA synchronous=EXTRA" : "PRAGMA synchronous=OFF");
  known_.reserve(contents.records.size());
  for (Record& record : contents.records) remember(std::move(record));
  insert_ = std::make_unique<Statement>(
      *database_,
      fmt::format("INSERT INTO evaluations({}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row_columns));
}

Store::~Store() = default;

void Store::record(const std::vector<Record>& records) {
  if (failure_) throw StoreFailure(*failure_);
  if (records.empty()) return;
  try {
    write(records);
  } catch (const std::exception& error) {
    failure_ =
        fmt::format("cannot record in {}: {}; nothing that was acknowledged is lost: free space and resume",
                    path_.string(), error.what());
    throw StoreFailure(*failure_);
  }
  ++transactions_;
  for (const Record& record : records) remember(record);
}

void Store::write(const std::vector<Record>& records) {
  database_->execute("BEGIN");
  Index number = size();
  for (const Record& record : records) insert_row(*insert_, ++number, record);
  database_->execute("COMMIT");
}

void Store::remember(Record record) {
  const std::size_t row = records_.size();
  Known& known = known_[bits_of(record.theta)];
  const bool answers_all = record.outcome.kind == OutcomeKind::zero ||
                           (record.want == Want::value_and_gradient && record.outcome.exact.gradient);
  if (!record.outcome.answered()) {
    record.outcome.exact = {};
    known.failures[static_cast<int>(record.want)].push_back(row);
  } else {
    if (!known.value) known.value = row;
    if (!known.value_and_gradient && answers_all) known.value_and_gradient = row;
  }
  records_.push_back(std::move(record));
}

std::optional<Outcome> Store::find(const Vector& theta, Want want) const {
  const auto found = known_.find(bits_of(theta));
  if (found == known_.end()) return std::nullopt;
  const auto& row = want == Want::value ? found->second.value : found->second.value_and_gradient;
  if (!row) return std::nullopt;
  Outcome outcome = records_[*row].outcome;
  if (want == Want::value) outcome.exact.gradient.reset();
  return outcome;
}

const std::vector<std::size_t>* Store::failures(const Vector& theta, Want want) const {
  const auto found = known_.find(bits_of(theta));
  return found == known_.end() ? nullptr : &found->second.failures[static_cast<int>(want)];
}

int Store::failed_attempts(const Vector& theta, Want want) const {
  const auto* rows = failures(theta, want);
  return rows ? static_cast<int>(rows->size()) : 0;
}

std::optional<Outcome> Store::last_failure(const Vector& theta, Want want) const {
  const auto* rows = failures(theta, want);
  if (!rows || rows->empty()) return std::nullopt;
  return records_[rows->back()].outcome;
}

Index Store::adopt(const std::filesystem::path& other) {
  const StoreContents contents = read_store(other);
  if (const auto difference =
          first_difference(identity_of_likelihood(contents.identity), identity_of_likelihood(identity_)))
    throw StoreRefused(fmt::format("{} is of another likelihood; {}", other.string(), *difference));
  std::vector<Record> taken;
  for (const Record& record : contents.records) {
    if (!record.outcome.answered() || find(record.theta, record.want)) continue;
    taken.push_back(record);
    taken.back().attempt = 0;
  }
  record(taken);
  return static_cast<Index>(taken.size());
}

}  // namespace hunch
