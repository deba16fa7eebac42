#include "hunch/model/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "hunch/model/answer.hpp"
#include "hunch/model/process_table.hpp"

namespace hunch {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t remembered_errors = 2048;
// How soon the end of a program is noticed when its offspring keeps its streams open.
constexpr auto tick = 10ms;
// The same when its streams have ended, as they do just before it does.
constexpr auto short_tick = 1ms;
// How long a program that closed its output may take to end before it counts as still running.
constexpr auto closing_time = 500ms;

struct Pipe {
  Descriptor read_end, write_end;
};

// Numbers above the three standard streams, so that placing the pipes there cannot overwrite one of them.
Descriptor out_of_the_way(int number) {
  if (number > STDERR_FILENO) return Descriptor(number);
  Descriptor low(number);
  return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

Pipe make_pipe() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw StartFailure(fmt::format("no pipe: {}", strerrordesc_np(errno)));
  Pipe made{out_of_the_way(ends[0]), out_of_the_way(ends[1])};
  if (!made.read_end.open() || !made.write_end.open()) throw StartFailure("no pipe: too many open files");
  return made;
}

void never_block(const Descriptor& end) {
  fcntl(end.number(), F_SETFL, O_NONBLOCK);
}

// posix_spawn's two lists, freed on every way out.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void use_streams(int input, int output, int errors) {
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
#if __GLIBC_PREREQ(2, 34)  // else only what was opened close-on-exec stays behind, which is all that we open
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
  }

  // A session of its own and no signal blocked or ignored, whatever this process does with signals.
  void start_afresh() {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// A write to a program that has gone must not raise SIGPIPE in a process that may not expect it.
ssize_t write_quietly(int number, std::string_view bytes) {
  sigset_t broken_pipe, pending, before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  const ssize_t written = ::write(number, bytes.data(), bytes.size());
  const int error = errno;
  if (written < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    const timespec no_time{};
    while (sigtimedwait(&broken_pipe, nullptr, &no_time) == -1 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : "a real-time signal";
}

// Appends what there is, up to 64 KiB; false when there is nothing now. Closes the descriptor at the end.
bool read_some(Descriptor& source, std::string& into) {
  if (!source.open()) return false;
  std::array<char, 1 << 16> bytes;
  const ssize_t count = ::read(source.number(), bytes.data(), bytes.size());
  if (count > 0) into.append(bytes.data(), static_cast<std::size_t>(count));
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) source.close();
  return count > 0;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = other.release();
  }
  return *this;
}

void Descriptor::close() {
  if (open()) ::close(release());
}

int Descriptor::release() {
  return std::exchange(number_, -1);
}

ChildProcess::ChildProcess(const Launch& launch) : output_kind_(launch.output) {
  Pipe input = make_pipe(), output = make_pipe(), errors = make_pipe();
  mark_ = fresh_mark(this);
  auto arguments = launch.arguments;
  auto environment = launch.environment;
  put_mark(environment, mark_);
  SpawnPlan plan;
  posix_spawn_file_actions_addchdir_np(&plan.actions, launch.directory.c_str());
  plan.use_streams(input.read_end.number(), output.write_end.number(), errors.write_end.number());
  plan.start_afresh();
  pid_t process = 0;
  const int error = posix_spawn(&process, launch.executable.c_str(), &plan.actions, &plan.attributes,
                                pointers(arguments).data(), pointers(environment).data());
  if (error != 0)
    throw StartFailure(fmt::format("{}: {}", launch.executable.string(), strerrordesc_np(error)));
  process_ = process;
  input_ = std::move(input.write_end);
  read_end_ = std::move(output.read_end);
  errors_end_ = std::move(errors.read_end);
  for (const auto* end : {&input_, &read_end_, &errors_end_}) never_block(*end);
}

ChildProcess::~ChildProcess() {
  if (ended_) return;
  ChildProcess* self = this;
  end({&self, 1}, Manner::at_once);
}

ChildProcess::Stop ChildProcess::exchange(std::string_view input, Goal goal, Instant deadline,
                                          const std::stop_token& cancelled) {
  std::optional<Instant> closed_since;
  written_ = 0;
  for (;;) {
    if (goal == Goal::line && output_.find('\n') != std::string::npos) return Stop::line;
    if (output_.size() > largest_answer) return Stop::flood;
    if (exited()) {  // asked before the last look at its streams, so that this look sees all it wrote
      listen();
      const bool line = goal == Goal::line && output_.find('\n') != std::string::npos;
      return line ? Stop::line : output_.size() > largest_answer ? Stop::flood : Stop::exit;
    }
    if (cancelled.stop_requested()) return Stop::cancelled;
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) return Stop::deadline;
    if (goal == Goal::line && !read_end_.open()) {
      if (!closed_since) closed_since = now;
      if (now - *closed_since >= closing_time) return Stop::closed;
    }
    if (goal == Goal::exit && input.empty()) input_.close();
    const bool talking = read_end_.open() || errors_end_.open();
    pump(input, std::min(deadline, now + (talking ? tick : short_tick)));
  }
}

void ChildProcess::listen() {
  // No pipe of ours holds more than 1 MiB; offspring that goes on writing is not listened to for ever.
  for (int round = 0; round < 32 && output_.size() <= largest_answer && read_output();) ++round;
  for (int round = 0; round < 32 && read_errors();) ++round;
}

void ChildProcess::pump(std::string_view& input, Instant wake) {
  std::array<pollfd, 3> streams{{{input.empty() ? -1 : input_.number(), POLLOUT, 0},
                                 {read_end_.number(), POLLIN, 0},
                                 {errors_end_.number(), POLLIN, 0}}};
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(wake - std::chrono::steady_clock::now());
  if (poll(streams.data(), streams.size(), static_cast<int>(std::max(wait, 0ms).count())) <= 0) return;
  if (streams[0].revents != 0) write_some(input);
  if (streams[1].revents != 0) read_output();
  if (streams[2].revents != 0) read_errors();
}

void ChildProcess::write_some(std::string_view& input) {
  const ssize_t written = write_quietly(input_.number(), input);
  if (written >= 0) {
    input.remove_prefix(static_cast<std::size_t>(written));
    written_ += static_cast<std::size_t>(written);
  } else if (errno != EAGAIN && errno != EINTR) {
    input = {};  // it reads no more; it may answer all the same
  }
}

// What nobody has read stays in the pipe, also when its reader is gone.
bool ChildProcess::read_nothing() const {
  int waiting = 0;
  return input_.open() && ioctl(input_.number(), FIONREAD, &waiting) == 0 &&
         static_cast<std::size_t>(waiting) == written_;
}

bool ChildProcess::read_output() {
  const bool some = read_some(read_end_, output_);
  if (output_kind_ == Launch::Output::noise) output_.clear();
  return some;
}

bool ChildProcess::read_errors() {
  const bool some = read_some(errors_end_, errors_);
  if (errors_.size() > remembered_errors) errors_.erase(0, errors_.size() - remembered_errors);
  return some;
}

bool ChildProcess::exited() {
  if (exited_) return true;
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(*process_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno != ECHILD) return false;
    process_.reset();
    farewell_ = "an exit code that something else in this process collected";
    return exited_ = true;
  }
  if (info.si_pid == 0) return false;
  farewell_ = info.si_code == CLD_EXITED
                  ? fmt::format("exit code {}", info.si_status)
                  : fmt::format("signal {} ({})", info.si_status, signal_name(info.si_status));
  return exited_ = true;
}

}  // namespace hunch
