#include "worker_model.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "hunch/model/answer.hpp"

namespace hunch::python {

namespace {

// Both ways in this machine's own bytes: the other end is a fork of this process.
bool send_all(int socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool receive_all(int socket, void* into, std::size_t wanted) {
  char* next = static_cast<char*>(into);
  while (wanted > 0) {
    const ssize_t count = recv(socket, next, wanted, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    wanted -= static_cast<std::size_t>(count);
  }
  return true;
}

template <class Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string request_of(const Vector& theta, Want want) {
  std::string bytes;
  append(bytes, static_cast<char>(want));
  for (const double value : theta) append(bytes, value);
  return bytes;
}

// As hunch/_workers.py packs it: kind, number of derivatives, length of the text, the value.
struct AnswerHead {
  std::int32_t kind;
  std::int32_t slopes;
  std::int32_t text;
  std::int32_t unused;
  double value;
};

std::optional<Outcome> read_outcome(int socket, Index dimension, Want want) {
  AnswerHead head;
  if (!receive_all(socket, &head, sizeof head)) return std::nullopt;
  Exact exact{head.value, std::nullopt};
  if (head.slopes > 0) {
    exact.gradient = Vector(head.slopes);
    if (!receive_all(socket, exact.gradient->data(), sizeof(double) * static_cast<std::size_t>(head.slopes)))
      return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(head.text), '\0');
  if (!receive_all(socket, text.data(), text.size())) return std::nullopt;
  const auto kind = static_cast<OutcomeKind>(head.kind);
  if (kind == OutcomeKind::value || kind == OutcomeKind::zero || kind == OutcomeKind::nan)
    return judge(std::move(exact), dimension, want);
  return Outcome{kind, {}, std::move(text)};
}

std::string request_to_nursery(char what, std::int32_t process) {
  std::string bytes(1, what);
  append(bytes, process);
  return bytes;
}

std::string ending_of(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = sigdescr_np(WTERMSIG(status));
    return std::string(name ? name : "killed") + " (signal " + std::to_string(WTERMSIG(status)) + ")";
  }
  return "exited with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Nursery::Nursery(Descriptor socket) : socket_(std::move(socket)) {}

// The worker's end comes beside its process number, as ancillary data.
std::optional<Nursery::Worker> Nursery::birth() {
  const std::lock_guard lock(mutex_);
  if (!send_all(socket_.number(), request_to_nursery('n', 0))) return std::nullopt;
  std::int32_t process = 0;
  iovec part{&process, sizeof process};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  ssize_t count = 0;
  do count = recvmsg(socket_.number(), &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  while (count < 0 && errno == EINTR);
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (count != sizeof process || head == nullptr || head->cmsg_type != SCM_RIGHTS) return std::nullopt;
  int socket = -1;
  std::memcpy(&socket, CMSG_DATA(head), sizeof socket);
  return Worker{process, Descriptor(socket)};
}

std::string Nursery::death(const Worker& worker) {
  const std::lock_guard lock(mutex_);
  std::int32_t status = 0;
  if (!send_all(socket_.number(), request_to_nursery('k', worker.process)) ||
      !receive_all(socket_.number(), &status, sizeof status))
    return "and nobody knows how";
  return ending_of(status);
}

WorkerModel::WorkerModel(Descriptor nursery, WorkerSettings settings)
    : settings_(settings),
      nursery_(std::move(nursery)),
      seats_(static_cast<std::size_t>(settings.workers)),
      workers_(static_cast<std::size_t>(settings.workers)),
      cancelled_(eventfd(0, EFD_CLOEXEC)) {}

WorkerModel::~WorkerModel() = default;

void WorkerModel::cancel() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = write(cancelled_.number(), &one, sizeof one);
}

WorkerModel::Waited WorkerModel::wait_for(const Nursery::Worker& worker) const {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> deadline;
  if (settings_.timeout_seconds)
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(*settings_.timeout_seconds));
  std::array<pollfd, 2> watched{pollfd{worker.socket.number(), POLLIN, 0},
                                pollfd{cancelled_.number(), POLLIN, 0}};
  for (;;) {
    int milliseconds = 60'000;
    if (deadline) {
      const double left = std::chrono::duration<double, std::milli>(*deadline - Clock::now()).count();
      if (left <= 0) return Waited::too_late;
      milliseconds = static_cast<int>(std::min(60'000.0, std::ceil(left)));
    }
    if (poll(watched.data(), watched.size(), milliseconds) <= 0) continue;
    if (watched[1].revents != 0) return Waited::cancelled;
    if (watched[0].revents != 0) return Waited::answer;
  }
}

Outcome WorkerModel::ended(std::optional<Nursery::Worker>& worker, OutcomeKind kind,
                           const std::string& words) {
  const std::string how = nursery_.death(*worker);
  worker.reset();
  return {kind, {}, kind == OutcomeKind::crash ? words + how : words};
}

Outcome WorkerModel::evaluate(const Vector& theta, Want want) {
  const Seats::Seat seat(seats_);
  std::optional<Nursery::Worker>& worker = workers_[seat.number()];
  if (!worker) worker = nursery_.birth();
  if (!worker) return {OutcomeKind::lost, {}, "no worker process could be started"};
  if (!send_all(worker->socket.number(), request_of(theta, want)))
    return ended(worker, OutcomeKind::crash, "the worker process died: ");
  switch (wait_for(*worker)) {
    case Waited::too_late:
      return ended(worker, OutcomeKind::timeout, "no answer by the deadline; the worker process was ended");
    case Waited::cancelled:
      return ended(worker, OutcomeKind::lost, "abandoned");
    case Waited::answer:
      break;
  }
  if (auto outcome = read_outcome(worker->socket.number(), theta.size(), want)) return *outcome;
  return ended(worker, OutcomeKind::crash, "the worker process died: ");
}

}  // namespace hunch::python
