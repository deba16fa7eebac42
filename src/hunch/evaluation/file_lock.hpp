// FileLock: at most one object in all processes holds it; it is free again when that process dies.
#pragma once

#include <filesystem>
#include <string>

namespace hunch {

class FileLock {
 public:
  // Refused at once (StoreInUse, naming the holder if known) if somebody else holds it.
  // The file says who holds it; it is never removed, so that nobody locks a file that is already gone.
  FileLock(const std::filesystem::path& file, const std::filesystem::path& guarded);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

// "process 123 on host", as the holder of a lock file has signed it, or "another process".
std::string holder_of(const std::filesystem::path& file);

}  // namespace hunch
