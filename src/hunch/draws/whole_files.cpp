#include "hunch/draws/whole_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "hunch/core/types.hpp"

namespace hunch {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& target, const std::string& reason) {
  throw InputError("cannot write " + target.string() + ": " + reason);
}

// A path that cannot be written is the caller's to change; a disk that is full or broken is nobody's mistake.
[[noreturn]] void fail(const fs::path& target, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EIO || error == EFBIG)
    throw std::runtime_error("cannot write " + target.string() + ": " + std::strerror(error) +
                             "; nothing that was paid for is lost: free space and go on");
  fail(target, std::string(std::strerror(error)));
}

[[noreturn]] void refuse(const fs::path& target) {
  fail(target, "it exists already, and overwriting was not asked for");
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool open() const { return number_ >= 0; }
  bool sync() const { return ::fsync(number_) == 0; }
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(number_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  int number_;
};

bool is_numbered(std::string_view name, std::string_view prefix, std::string_view suffix) {
  if (name.size() <= prefix.size() + suffix.size()) return false;
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return false;
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

constexpr std::string_view part_mark = ".part-";  // target + mark + the writer's process

// A process of another user counts as alive: nobody can be asked but the kernel, and it says "not yours".
bool is_gone(std::string_view process) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(process.data(), process.data() + process.size(), number);
  if (error != std::errc() || end != process.data() + process.size() || number <= 0) return false;
  return ::kill(number, 0) != 0 && errno == ESRCH;
}

// Of one target, or of any if its name is empty.
void remove_abandoned_parts(const fs::path& folder, const std::string& target) {
  std::error_code error;
  const fs::path here = folder.empty() ? fs::path(".") : folder;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry(here, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::size_t mark = name.rfind(part_mark);
    if (mark == std::string::npos || mark == 0 || (!target.empty() && name.substr(0, mark) != target))
      continue;
    if (is_gone(std::string_view(name).substr(mark + part_mark.size()))) abandoned.push_back(entry->path());
  }
  for (const fs::path& part : abandoned) fs::remove(part, error);  // in vain if it is not ours to remove
}

}  // namespace

void remove_abandoned(const fs::path& folder) {
  remove_abandoned_parts(folder, "");
}

WholeFiles::~WholeFiles() {
  std::error_code ignored;
  for (const Staged& file : staged_) fs::remove(file.temporary, ignored);
  for (const fs::path& folder : made_folders_) fs::remove(folder, ignored);  // if it is empty
}

void WholeFiles::make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  if (fs::create_directory(folder, error)) made_folders_.push_back(folder);
  if (error) fail(folder, error.value());
}

void WholeFiles::claim_numbered(const fs::path& folder, std::string_view prefix, std::string_view suffix) {
  std::error_code error;
  const fs::path here = folder.empty() ? fs::path(".") : folder;
  for (fs::directory_iterator entry(here, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!is_numbered(name, prefix, suffix)) continue;
    if (overwrite_ == Overwrite::no) refuse(folder / name);
    earlier_.insert(folder / name);
  }
  if (error) fail(folder, error.value());
}

fs::path WholeFiles::stage(const fs::path& target) {
  std::error_code error;
  if (overwrite_ == Overwrite::no && fs::exists(fs::symlink_status(target, error))) refuse(target);
  fs::path temporary = target;
  temporary += std::string(part_mark) + std::to_string(::getpid());
  remove_abandoned_parts(target.parent_path(), target.filename().string());
  staged_.push_back({temporary, target});
  if (!Descriptor(temporary, O_WRONLY | O_CREAT | O_TRUNC).open()) fail(target, errno);
  return temporary;
}

void WholeFiles::write(const fs::path& target, std::string_view text) {
  const Descriptor file(stage(target), O_WRONLY);
  if (!file.open() || !file.write(text)) fail(target, errno);
}

void WholeFiles::publish() {
  for (const Staged& file : staged_) {
    const Descriptor written(file.temporary, O_RDONLY);
    if (!written.open() || !written.sync()) fail(file.target, errno);
    if (fs::is_directory(file.target)) fail(file.target, "it is a directory");
  }
  for (const Staged& file : staged_) {
    if (std::rename(file.temporary.c_str(), file.target.c_str()) != 0) fail(file.target, errno);
    earlier_.erase(file.target);
  }
  staged_.clear();
  std::error_code error;
  for (const fs::path& stale : earlier_)
    if (!fs::remove(stale, error) && error) fail(stale, error.value());
}

}  // namespace hunch
