#include "hunch/model/tcp_connection.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace hunch {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = NetworkFailure::Kind;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

// True when the descriptor is ready (or in error), false when the deadline came first.
bool wait_until_ready(int descriptor, short events, Deadline deadline, const std::stop_token& cancelled) {
  constexpr long long tick_milliseconds = 50;  // how soon it is noticed that nobody waits any more
  for (;;) {
    if (cancelled.stop_requested()) throw NetworkFailure(Kind::cancelled, "the evaluation was abandoned");
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{descriptor, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<long long>(left, tick_milliseconds)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw NetworkFailure(Kind::unreachable, text_of(errno));
  }
}

// A host that vanishes during a long evaluation is noticed after about two minutes of silence from its
// kernel.
void watch_for_a_dead_host(int descriptor) {
  const auto set = [descriptor](int level, int option, int value) {
    setsockopt(descriptor, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 6);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

// Zero when connected, else the error.
int connect_one(int descriptor, const SocketAddress& address, Deadline deadline,
                const std::stop_token& cancelled) {
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address.bytes), address.size) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  if (!wait_until_ready(descriptor, POLLOUT, deadline, cancelled)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

[[noreturn]] void fail_connected(int error) {
  if (error == ECONNRESET || error == EPIPE)
    throw NetworkFailure(Kind::closed, "the connection was closed: " + text_of(error));
  throw NetworkFailure(Kind::unreachable, "the connection was lost: " + text_of(error));
}

}  // namespace

Deadline seconds_from_now(double seconds) {
  return Clock::now() + std::chrono::ceil<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::vector<SocketAddress> resolve(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  if (error != 0)
    throw NetworkFailure(Kind::unreachable,
                         fmt::format("the name {} has no address: {}", host, gai_strerror(error)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, freeaddrinfo);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.bytes, entry->ai_addr, entry->ai_addrlen);
    address.size = entry->ai_addrlen;
  }
  return addresses;
}

TcpConnection::TcpConnection(const std::vector<SocketAddress>& addresses, Deadline connect_by,
                             std::stop_token cancelled)
    : cancelled_(std::move(cancelled)), descriptor_(-1) {
  int error = EADDRNOTAVAIL;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto now = Clock::now();
    const auto share = (connect_by - now) / static_cast<int>(addresses.size() - i);
    descriptor_ = socket(addresses[i].bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor_ < 0) {
      error = errno;
      continue;
    }
    watch_for_a_dead_host(descriptor_);
    try {
      error = connect_one(descriptor_, addresses[i], now + share, cancelled_);
    } catch (...) {
      close(descriptor_);
      throw;
    }
    if (error == 0) return;
    close(descriptor_);
  }
  throw NetworkFailure(Kind::unreachable, "no connection: " + text_of(error));
}

TcpConnection::~TcpConnection() {
  close(descriptor_);
}

void TcpConnection::send_all(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    else if (errno != EAGAIN && errno != EINTR)
      fail_connected(errno);
    else if (!wait_until_ready(descriptor_, POLLOUT, deadline, cancelled_))
      throw NetworkFailure(Kind::timeout, "the request was not taken by the deadline");
  }
}

std::size_t TcpConnection::receive_some(char* into, std::size_t most, Deadline deadline) {
  for (;;) {
    // A sender that never pauses must not outlive the deadline either.
    if (!wait_until_ready(descriptor_, POLLIN, deadline, cancelled_))
      throw NetworkFailure(Kind::timeout, "no complete answer by the deadline");
    const ssize_t received = recv(descriptor_, into, most, 0);
    if (received >= 0) return static_cast<std::size_t>(received);
    if (errno != EAGAIN && errno != EINTR) fail_connected(errno);
  }
}

}  // namespace hunch
