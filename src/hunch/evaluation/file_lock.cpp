#include "hunch/evaluation/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "hunch/evaluation/store_error.hpp"

namespace hunch {

namespace {

void sign(int descriptor) {
  std::array<char, 100> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const std::string text = fmt::format("process {} on {}\n", ::getpid(), host.data());
  // A lock that cannot be signed (disk full) still locks; only the holder's name is missing.
  if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, text.data(), text.size(), 0) < 0) return;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& file, const std::filesystem::path& guarded)
    : descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) {
    const std::string said = fmt::format("cannot write {}: {}", file.string(), std::strerror(errno));
    if (errno == ENOSPC || errno == EIO || errno == EDQUOT) throw StoreFailure(said);
    throw StoreRefused(said);
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(descriptor_);
    if (error == EWOULDBLOCK)
      throw StoreInUse(fmt::format("{} is in use by {}", guarded.string(), holder_of(file)));
    throw StoreRefused(fmt::format("cannot lock {}: {}", file.string(), std::strerror(error)));
  }
  sign(descriptor_);
}

FileLock::~FileLock() {
  ::close(descriptor_);
}

std::string holder_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string holder;
  std::getline(in, holder);
  return holder.starts_with("process ") ? holder : "another process";
}

}  // namespace hunch
