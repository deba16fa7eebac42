#include "hunch/model/process_table.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <sstream>

#include "hunch/model/child_process.hpp"

namespace hunch {

namespace {

std::optional<pid_t> process_named(const std::filesystem::path& entry) {
  const std::string name = entry.filename();
  pid_t process = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (error != std::errc() || stop != name.data() + name.size()) return std::nullopt;
  return process;
}

// Empty when it is not there or not ours to see.
std::string content(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 1 << 14> bytes;
  for (ssize_t count = 0; file.open() && (count = read(file.number(), bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(count));
  return text;
}

std::optional<pid_t> living_session(const std::string& folder) {
  const std::string text = content(folder + "/stat");
  const auto name_end = text.rfind(')');  // the name before it may hold anything
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  char state = 'X';
  pid_t parent = 0, group = 0, session = 0;
  fields >> state >> parent >> group >> session;
  if (!fields || state == 'Z' || state == 'X') return std::nullopt;
  return session;
}

}  // namespace

void visit_living(const std::function<void(const LivingProcess&)>& see) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), last; !error && entry != last;
       entry.increment(error)) {
    const auto process = process_named(entry->path());
    if (!process || *process == getpid()) continue;
    const std::string folder = entry->path();
    const auto session = living_session(folder);
    if (session) see({*process, *session, content(folder + "/environ")});
  }
}

std::string fresh_mark(const void* owner) {
  return fmt::format("{}-{}-{}", getpid(), owner,
                     std::chrono::steady_clock::now().time_since_epoch().count());
}

void put_mark(std::vector<std::string>& environment, const std::string& mark) {
  const std::string name = "HUNCH_WORKER=";
  const auto place = std::find_if(environment.begin(), environment.end(),
                                  [&](const std::string& entry) { return entry.starts_with(name); });
  if (place == environment.end())
    environment.push_back(name + mark);
  else
    *place += ":" + mark;
}

}  // namespace hunch
