#include "hunch/model/keeper.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <set>

#include "hunch/model/process_table.hpp"

namespace hunch {

namespace {

constexpr timespec pause_between_looks{0, 20'000'000};
constexpr int most_looks = 200;

// Kills all that carry the mark, and whoever shares a session with them. How many there were.
int kill_marked(const std::string& mark) {
  std::set<pid_t> sessions, marked;
  visit_living([&](const LivingProcess& process) {
    if (process.environment.find(mark) == std::string_view::npos) return;
    marked.insert(process.number);
    sessions.insert(process.session);
  });
  if (marked.empty()) return 0;
  visit_living([&](const LivingProcess& process) {
    if (sessions.contains(process.session)) marked.insert(process.number);
  });
  for (const pid_t process : marked) kill(process, SIGKILL);
  return static_cast<int>(marked.size());
}

void close_all_but_input() {
#if __GLIBC_PREREQ(2, 34)
  closefrom(STDIN_FILENO + 1);
#else
  for (int number = STDIN_FILENO + 1; number < 65536; ++number) close(number);
#endif
}

// The life of the keeper, in a copy of this process that has one thread; it allocates memory, which the C
// library keeps possible after a fork. The lifeline ends when nobody holds its other end any more: the
// process that made the keeper is dead then, and no copy of it is about to become a worker. A byte says that
// nothing is left to do.
[[noreturn]] void keep(int lifeline, const std::string& mark) {
  setsid();  // who kills the group of this process shall not kill the keeper
  prctl(PR_SET_NAME, "hunch-keeper");
  dup2(lifeline, STDIN_FILENO);
  close_all_but_input();  // above all the lock of a store
  if (chdir("/") != 0) _exit(1);
  char byte;
  ssize_t count = 0;
  do count = read(STDIN_FILENO, &byte, 1);
  while (count < 0 && errno == EINTR);
  // Twice nobody: a process that was being born at the first look is seen at the second.
  for (int look = 0, clean = 0; count == 0 && look < most_looks && clean < 2; ++look) {
    clean = kill_marked(mark) == 0 ? clean + 1 : 0;
    nanosleep(&pause_between_looks, nullptr);
  }
  _exit(0);
}

}  // namespace

Keeper::Keeper() : mark_(fresh_mark(this)) {
  std::array<int, 2> ends;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw StartFailure(fmt::format("no keeper: {}", strerrordesc_np(errno)));
  const Descriptor other_end(ends[0]);
  lifeline_ = Descriptor(ends[1]);
  // Blocked before the copy is made, so that it never runs a handler of this process.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  process_ = fork();
  if (process_ == 0) keep(other_end.number(), mark_);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (process_ < 0) throw StartFailure(fmt::format("no keeper: {}", strerrordesc_np(errno)));
}

Keeper::~Keeper() {
  send(lifeline_.number(), "", 1, MSG_NOSIGNAL);  // a keeper that was killed cannot be told
  lifeline_.close();
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace hunch
