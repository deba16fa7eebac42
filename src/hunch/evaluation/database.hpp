// Database: one SQLite connection that trusts neither its file nor the disk, and the statements made on it.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hunch {

enum class Access { create, existing };

// What SQLite said, with its code; the store turns it into its own two kinds.
class DatabaseError : public std::runtime_error {
 public:
  DatabaseError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  bool disk() const;    // the disk, or memory: not the file's contents
  bool in_use() const;  // another connection holds the file

 private:
  int code_;
};

class Database {
 public:
  // Waits for nobody: a file that another connection holds is an error at the first use.
  Database(const std::filesystem::path& file, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  std::string text_of(const std::string& sql);  // the first column of the first row
  bool writable() const;
  [[noreturn]] void fail(int code) const;
  sqlite3* connection() const { return connection_; }

 private:
  sqlite3* connection_ = nullptr;
};

// Columns count from 0, parameters from 1, as SQLite has it.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  bool row();    // runs to the next row; false: there is none
  void reset();  // ready to run again, nothing bound

  void bind(int parameter, std::int64_t value);
  void bind(int parameter, double value);
  void bind_text(int parameter, std::string_view text);    // the text must live until row()
  void bind_bytes(int parameter, std::string_view bytes);  // likewise
  void bind_nothing(int parameter);

  bool nothing(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view bytes(int column) const;  // valid until the next row() or reset()

 private:
  void checked(int code);

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace hunch
