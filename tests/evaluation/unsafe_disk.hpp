// UnsafeDisk: SQLite's disk, seen through our fingers: any one call can fail, and all that was written since
// the last sync can be lost, torn or reordered, as in a power cut. While it lives it is the disk of every new
// connection.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "evaluation/scratch.hpp"
#include "hunch/core/rng.hpp"

namespace hunch::scratch {

class UnsafeDisk {
 public:
  struct Event {
    enum class Kind { write, truncate, sync, remove, acknowledged } kind;
    std::string file;
    sqlite3_int64 where = 0;  // offset, size, or number of rows acknowledged
    std::string bytes;
  };
  enum class Failing { once, from_then_on };

  UnsafeDisk() : real_(sqlite3_vfs_find(nullptr)), seen_(*real_) {
    current_ = this;
    seen_.zName = "unsafe";
    seen_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    seen_.xOpen = open;
    seen_.xDelete = remove;
    sqlite3_vfs_register(&seen_, 1);
  }
  ~UnsafeDisk() {
    sqlite3_vfs_unregister(&seen_);
    sqlite3_vfs_register(real_, 1);
    current_ = nullptr;
  }
  UnsafeDisk(const UnsafeDisk&) = delete;
  UnsafeDisk& operator=(const UnsafeDisk&) = delete;

  void fail_at(int call, Failing failing) { calls_ = 0, fails_at_ = call, failing_ = failing; }
  void delay_syncs(std::chrono::milliseconds delay) { sync_delay_ = delay; }
  void heal() { fails_at_.reset(); }
  bool failed() const { return fails_at_ && calls_ >= *fails_at_; }

  void acknowledge(Index rows) { events_.push_back({Event::Kind::acknowledged, "", rows, ""}); }
  void forget() { events_.clear(); }
  const std::vector<Event>& events() const { return events_; }

 private:
  struct File {
    sqlite3_file base;
    char name[200];
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };

  static File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
  static bool fails_now() {
    ++current_->calls_;
    if (!current_->fails_at_) return false;
    return current_->failing_ == Failing::once ? current_->calls_ == *current_->fails_at_
                                               : current_->calls_ >= *current_->fails_at_;
  }
  static void note(Event event) { current_->events_.push_back(std::move(event)); }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
    file->pMethods = nullptr;
    if (fails_now()) return SQLITE_CANTOPEN;
    std::strncpy(of(file)->name, name ? name : "", sizeof File::name - 1);
    const int code = current_->real_->xOpen(current_->real_, name, of(file)->real(), flags, out);
    if (code == SQLITE_OK) file->pMethods = &methods;
    return code;
  }
  static int remove(sqlite3_vfs*, const char* name, int sync_folder) {
    if (fails_now()) return SQLITE_IOERR_DELETE;
    note({Event::Kind::remove, name, sync_folder, ""});
    return current_->real_->xDelete(current_->real_, name, 0);
  }
  static int close(sqlite3_file* f) { return of(f)->real()->pMethods->xClose(of(f)->real()); }
  static int read(sqlite3_file* f, void* to, int count, sqlite3_int64 offset) {
    return of(f)->real()->pMethods->xRead(of(f)->real(), to, count, offset);
  }
  static int write(sqlite3_file* f, const void* from, int count, sqlite3_int64 offset) {
    if (fails_now()) return SQLITE_IOERR_WRITE;
    note({Event::Kind::write, of(f)->name, offset,
          std::string(static_cast<const char*>(from), static_cast<std::size_t>(count))});
    return of(f)->real()->pMethods->xWrite(of(f)->real(), from, count, offset);
  }
  static int truncate(sqlite3_file* f, sqlite3_int64 size) {
    if (fails_now()) return SQLITE_IOERR_TRUNCATE;
    note({Event::Kind::truncate, of(f)->name, size, ""});
    return of(f)->real()->pMethods->xTruncate(of(f)->real(), size);
  }
  // Noted, not done: the power never really fails here.
  static int sync(sqlite3_file* f, int) {
    if (fails_now()) return SQLITE_IOERR_FSYNC;
    note({Event::Kind::sync, of(f)->name, 0, ""});
    std::this_thread::sleep_for(current_->sync_delay_);
    return SQLITE_OK;
  }
  static int size(sqlite3_file* f, sqlite3_int64* out) {
    return of(f)->real()->pMethods->xFileSize(of(f)->real(), out);
  }
  static int lock(sqlite3_file* f, int level) { return of(f)->real()->pMethods->xLock(of(f)->real(), level); }
  static int unlock(sqlite3_file* f, int level) {
    return of(f)->real()->pMethods->xUnlock(of(f)->real(), level);
  }
  static int reserved(sqlite3_file* f, int* out) {
    return of(f)->real()->pMethods->xCheckReservedLock(of(f)->real(), out);
  }
  static int control(sqlite3_file* f, int what, void* argument) {
    return of(f)->real()->pMethods->xFileControl(of(f)->real(), what, argument);
  }
  static int sector(sqlite3_file* f) { return of(f)->real()->pMethods->xSectorSize(of(f)->real()); }
  static int device(sqlite3_file* f) {
    return of(f)->real()->pMethods->xDeviceCharacteristics(of(f)->real());
  }

  inline static const sqlite3_io_methods methods = {
      1,       close,  read,   write,   truncate, sync,    size,    lock,    unlock, reserved,
      control, sector, device, nullptr, nullptr,  nullptr, nullptr, nullptr, nullptr};
  inline static UnsafeDisk* current_ = nullptr;

  sqlite3_vfs* real_;
  sqlite3_vfs seen_;
  std::vector<Event> events_;
  int calls_ = 0;
  std::optional<int> fails_at_;
  Failing failing_ = Failing::once;
  std::chrono::milliseconds sync_delay_{0};
};

// What a disk may hold after the power went just before the `cut`-th event. `files` is what it held before
// the first. A file's writes are safe from its next sync on, and so is its name in the folder; the others
// happened wholly, in part, or not, in any order. A removal is safe only if the folder was synced: else the
// file may be there again, as it was when it was last synced, also in place of a new one of that name.
inline std::map<std::string, std::string> after_power_cut(std::map<std::string, std::string> files,
                                                          const std::vector<UnsafeDisk::Event>& events,
                                                          std::size_t cut, Rng& rng) {
  using Kind = UnsafeDisk::Event::Kind;
  const auto apply = [&](const UnsafeDisk::Event& event, std::size_t length) {
    std::string& held = files[event.file];
    const auto where = static_cast<std::size_t>(event.where);
    if (event.kind == Kind::truncate) return held.resize(where);
    if (held.size() < where + length) held.resize(where + length);
    std::copy_n(event.bytes.begin(), length, held.begin() + event.where);
  };
  std::map<std::string, std::vector<UnsafeDisk::Event>> unsynced;
  std::set<std::string> gone;  // removed, but the folder was not synced
  for (std::size_t i = 0; i < cut; ++i) {
    const UnsafeDisk::Event& event = events[i];
    if (event.kind == Kind::write || event.kind == Kind::truncate) {
      unsynced[event.file].push_back(event);
    } else if (event.kind == Kind::sync) {
      if (gone.erase(event.file) > 0) files.erase(event.file);  // this is a new one of that name
      for (const auto& each : unsynced[event.file]) apply(each, each.bytes.size());
      unsynced[event.file].clear();
      files[event.file];
    } else if (event.kind == Kind::remove) {
      unsynced.erase(event.file);
      event.where ? void(files.erase(event.file)) : void(gone.insert(event.file));
    }
  }
  for (const std::string& file : gone) {
    const std::uint64_t fate = rng.below(3);
    if (fate > 0) files.erase(file);
    if (fate < 2) unsynced.erase(file);  // there is the old one, or none
  }
  for (auto& [file, waiting] : unsynced) {
    for (std::size_t i = waiting.size(); i > 1; --i) std::swap(waiting[i - 1], waiting[rng.below(i)]);
    for (const auto& each : waiting) {
      const std::uint64_t fate = rng.below(3);
      if (fate == 0) apply(each, each.bytes.size());
      if (fate == 1) apply(each, std::min<std::size_t>(each.bytes.size(), 512 * rng.below(9)));
    }
  }
  return files;
}

}  // namespace hunch::scratch
