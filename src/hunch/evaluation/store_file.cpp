#include "hunch/evaluation/store_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace hunch {

namespace {

constexpr const char* application_id = "1215193960";  // "Hnch" as four bytes
constexpr const char* version = "1";

constexpr std::array<const char*, 6> schema = {
    "CREATE TABLE identity(position INTEGER PRIMARY KEY, name TEXT, value TEXT)",
    "CREATE TABLE evaluations(id INTEGER PRIMARY KEY, theta BLOB, want INTEGER, attempt INTEGER, outcome "
    "TEXT, "
    "log_likelihood BLOB, gradient BLOB, seconds REAL, worker INTEGER, message TEXT, checksum INTEGER)",
    "CREATE TRIGGER identity_stays BEFORE UPDATE ON identity "
    "BEGIN SELECT RAISE(ABORT, 'the identity of a store is never changed'); END",
    "CREATE TRIGGER identity_is_kept BEFORE DELETE ON identity "
    "BEGIN SELECT RAISE(ABORT, 'the identity of a store is never removed'); END",
    "CREATE TRIGGER evaluations_stay BEFORE UPDATE ON evaluations "
    "BEGIN SELECT RAISE(ABORT, 'an evaluation is never changed'); END",
    "CREATE TRIGGER evaluations_are_kept BEFORE DELETE ON evaluations "
    "BEGIN SELECT RAISE(ABORT, 'an evaluation is never removed'); END",
};

void fill(Database& database, const Identity& identity) {
  database.execute("BEGIN");
  database.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application_id, version));
  for (const char* statement : schema) database.execute(statement);
  Statement insert(database, "INSERT INTO identity VALUES(?, ?, ?)");
  for (std::size_t i = 0; i < identity.size(); ++i) {
    insert.bind(1, static_cast<std::int64_t>(i + 1));
    insert.bind_text(2, identity[i].name);
    insert.bind_text(3, identity[i].value);
    insert.row();
    insert.reset();
  }
  database.execute("COMMIT");
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) throw StoreFailure(fmt::format("cannot sync {}: {}", folder.string(), std::strerror(error)));
}

Identity identity_in(Database& database) {
  Identity identity;
  Statement rows(database, "SELECT name, value FROM identity ORDER BY position");
  while (rows.row()) identity.push_back({std::string(rows.bytes(0)), std::string(rows.bytes(1))});
  return identity;
}

std::filesystem::path beside(const std::filesystem::path& file, const char* ending) {
  return file.string() + ending;
}

}  // namespace

void make_store_file(const std::filesystem::path& file, const Identity& identity) {
  const std::filesystem::path journal = beside(file, "-journal"), unborn = beside(file, ".new");
  if (std::filesystem::exists(journal))
    throw StoreRefused(fmt::format("it is gone, but its {} is left: restore it, or move that file away",
                                   journal.filename().string()));
  // What a killed attempt to get this far has left behind holds no evaluation.
  std::filesystem::remove(unborn);
  std::filesystem::remove(beside(unborn, "-journal"));
  {
    Database database(unborn, Access::create);
    database.execute("PRAGMA journal_mode=DELETE; PRAGMA synchronous=EXTRA");
    fill(database, identity);
  }
  if (std::rename(unborn.c_str(), file.c_str()) != 0)
    throw StoreFailure(fmt::format("cannot make {}: {}", file.string(), std::strerror(errno)));
  sync_folder(std::filesystem::absolute(file).parent_path());
}

void refuse_impostor(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) throw StoreRefused("there is no such file");
  if (!std::filesystem::is_regular_file(file)) throw StoreRefused("it is not a regular file");
  if (std::filesystem::file_size(file) == 0) throw StoreRefused("it is empty, and no store is");
}

void check_store_file(Database& database) {
  const std::string id = database.text_of("PRAGMA application_id");
  if (id != application_id) throw StoreRefused("it was made by another program");
  if (const std::string found = database.text_of("PRAGMA user_version"); found != version)
    throw StoreRefused(fmt::format("it has format {}, this program reads format {}", found, version));
  {
    Statement rows(database, "SELECT sql FROM sqlite_schema ORDER BY rowid");
    for (const char* expected : schema)
      if (!rows.row() || rows.bytes(0) != expected) throw StoreRefused("its schema is not that of a store");
    if (rows.row()) throw StoreRefused("its schema is not that of a store");
  }
  if (const std::string said = database.text_of("PRAGMA quick_check(1)"); said != "ok")
    throw StoreRefused("it is damaged: " + said);
}

StoreContents contents_of(Database& database) {
  StoreContents contents{identity_in(database), {}};
  Statement rows(database, fmt::format("SELECT {} FROM evaluations ORDER BY id", row_columns));
  while (rows.row()) {
    const Index number = static_cast<Index>(contents.records.size()) + 1;
    std::optional<Record> record = read_row(rows, number);
    if (!record) throw StoreRefused(fmt::format("row {} is damaged or missing", number));
    contents.records.push_back(std::move(*record));
  }
  return contents;
}

}  // namespace hunch
