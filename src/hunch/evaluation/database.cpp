#include "hunch/evaluation/database.hpp"

#include <cstring>

namespace hunch {

bool DatabaseError::disk() const {
  const int kind = code_ & 0xff;
  return kind == SQLITE_FULL || kind == SQLITE_IOERR || kind == SQLITE_NOMEM;
}

bool DatabaseError::in_use() const {
  return (code_ & 0xff) == SQLITE_BUSY;
}

Database::Database(const std::filesystem::path& file, Access access) {
  // An absolute path is never read as a URI or as ":memory:".
  const std::string name = std::filesystem::absolute(file).string();
  const int create = access == Access::create ? SQLITE_OPEN_CREATE : 0;
  const int code = sqlite3_open_v2(name.c_str(), &connection_,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_PRIVATECACHE | create, nullptr);
  try {
    if (code != SQLITE_OK) fail(code);
    sqlite3_extended_result_codes(connection_, 1);
    sqlite3_busy_timeout(connection_, 0);
    sqlite3_db_config(connection_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0");
  } catch (...) {
    sqlite3_close(connection_);
    throw;
  }
}

Database::~Database() {
  sqlite3_close(connection_);
}

void Database::fail(int code) const {
  std::string said = connection_ ? sqlite3_errmsg(connection_) : sqlite3_errstr(code);
  if (const int error = connection_ ? sqlite3_system_errno(connection_) : 0; error != 0)
    said += std::string(" (") + std::strerror(error) + ")";
  throw DatabaseError(code, said);
}

void Database::execute(const std::string& sql) {
  if (const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK)
    fail(code);
}

std::string Database::text_of(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.row() ? std::string(statement.bytes(0)) : "";
}

bool Database::writable() const {
  return sqlite3_db_readonly(connection_, "main") == 0;
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  checked(sqlite3_prepare_v2(database.connection(), sql.data(), static_cast<int>(sql.size()), &statement_,
                             nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

void Statement::checked(int code) {
  if (code != SQLITE_OK) database_.fail(code);
}

bool Statement::row() {
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code);
  return code == SQLITE_ROW;
}

void Statement::reset() {
  sqlite3_reset(statement_);  // repeats the error of the last step, which row() has thrown already
  sqlite3_clear_bindings(statement_);
}

void Statement::bind(int parameter, std::int64_t value) {
  checked(sqlite3_bind_int64(statement_, parameter, value));
}

void Statement::bind(int parameter, double value) {
  checked(sqlite3_bind_double(statement_, parameter, value));
}

void Statement::bind_text(int parameter, std::string_view text) {
  checked(sqlite3_bind_text64(statement_, parameter, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind_bytes(int parameter, std::string_view bytes) {
  checked(sqlite3_bind_blob64(statement_, parameter, bytes.data(), bytes.size(), SQLITE_STATIC));
}

void Statement::bind_nothing(int parameter) {
  checked(sqlite3_bind_null(statement_, parameter));
}

bool Statement::nothing(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string_view Statement::bytes(int column) const {
  const void* start = sqlite3_column_blob(statement_, column);
  if (start == nullptr) return {};
  return {static_cast<const char*>(start),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

}  // namespace hunch
