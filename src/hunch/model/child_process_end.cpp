#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "hunch/model/child_process.hpp"
#include "hunch/model/process_table.hpp"

namespace hunch {

using namespace std::chrono_literals;

namespace {

constexpr auto grace = 500ms;
constexpr auto time_to_die = 900ms;  // after SIGKILL; only a process stuck in the kernel needs it

}  // namespace

// Whoever stayed in the session is found by it; whoever left it, by the mark in the environment. Only a
// process that did both, left and wiped, escapes.
std::vector<pid_t> ChildProcess::offspring(std::span<ChildProcess* const> children) {
  std::vector<pid_t> found;
  visit_living([&](const LivingProcess& process) {
    if (std::any_of(children.begin(), children.end(), [&](const ChildProcess* child) {
          return child->process_ == process.session ||
                 process.environment.find(child->mark_) != std::string_view::npos;
        }))
      found.push_back(process.number);
  });
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
