#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <thread>

#include "hunch/model/child_process.hpp"

namespace hunch {

using namespace std::chrono_literals;

namespace {

constexpr auto grace = 500ms;
constexpr auto time_to_die = 900ms;  // after SIGKILL; only a process stuck in the kernel needs it

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

// The session of a process that lives; none for a zombie, which nobody can end any more.
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

// Whoever stayed in the session is found by it; whoever left it, by the mark in the environment. Only a
// process that did both, left and wiped, escapes.
std::vector<pid_t> ChildProcess::offspring(std::span<ChildProcess* const> children) {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), last; !error && entry != last;
       entry.increment(error)) {
    const auto process = process_named(entry->path());
    if (!process || *process == getpid()) continue;
    const std::string folder = entry->path();
    const auto session = living_session(folder);
    if (!session) continue;
    const std::string environment = content(folder + "/environ");
    if (std::any_of(children.begin(), children.end(), [&](const ChildProcess* child) {
          return child->process_ == session || environment.find(child->mark_) != std::string::npos;
        }))
      found.push_back(*process);
  }
  return found;
}

void ChildProcess::end(std::span<ChildProcess* const> children, Manner manner) {
  for (auto* child : children) {
    child->listen();
    child->input_.close();
  }
  const bool left = manner == Manner::patient && gone_by(children, std::chrono::steady_clock::now() + grace);
  for (auto* child : children) {  // a program stuck in writing to us can go on, and end
    child->read_end_.close();
    child->errors_end_.close();
  }
  if (!left && !gone(children)) {
    signal(children, SIGTERM);
    signal(children, SIGCONT);  // a stopped process acts on SIGTERM only when it continues
    if (!gone_by(children, std::chrono::steady_clock::now() + grace)) {
      const auto deadline = std::chrono::steady_clock::now() + time_to_die;
      do signal(children, SIGKILL);
      while (!gone_by(children, std::min(deadline, std::chrono::steady_clock::now() + 50ms)) &&
             std::chrono::steady_clock::now() < deadline);
    }
  }
  for (auto* child : children) {
    child->ended_ = true;
    if (!child->process_) continue;
    waitpid(*child->process_, nullptr, WNOHANG);
    child->process_.reset();
  }
}

bool ChildProcess::gone(std::span<ChildProcess* const> children) {
  for (auto* child : children)
    if (!child->exited()) return false;
  return offspring(children).empty();
}

bool ChildProcess::gone_by(std::span<ChildProcess* const> children, Instant deadline) {
  auto pause = 1ms;
  while (!gone(children)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, 20ms);
  }
  return true;
}

void ChildProcess::signal(std::span<ChildProcess* const> children, int number) {
  for (const auto* child : children)
    if (child->process_) kill(-*child->process_, number);  // at once for all of the group, who may be forking
  for (const pid_t process : offspring(children)) kill(process, number);
}

}  // namespace hunch
