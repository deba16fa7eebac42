// TcpConnection: bytes to and from one socket, where every wait ends at a deadline, or when it is cancelled.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace hunch {

using Deadline = std::chrono::steady_clock::time_point;

Deadline seconds_from_now(double seconds);

// Why an exchange over the network gave no answer.
class NetworkFailure : public std::runtime_error {
 public:
  enum class Kind {
    unreachable,  // never connected, or the host is gone
    closed,       // the other side ended the connection before its answer was complete
    timeout,      // connected, and no complete answer by the deadline
    malformed,    // not HTTP, or HTTP of a kind that is refused
    too_big,      // more bytes than allowed
    cancelled,    // by us
  };
  NetworkFailure(Kind why, const std::string& reason) : std::runtime_error(reason), kind_(why) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

struct SocketAddress {
  sockaddr_storage bytes;
  socklen_t size;
};

// Asks the system's resolver, whose waits are its own: done once, before anything is timed.
std::vector<SocketAddress> resolve(const std::string& host, const std::string& port);

class TcpConnection {
 public:
  // Tries the addresses in turn, each with its share of the time left.
  TcpConnection(const std::vector<SocketAddress>& addresses, Deadline connect_by, std::stop_token cancelled);
  ~TcpConnection();
  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;

  void send_all(std::string_view bytes, Deadline deadline);
  // What has arrived, at least one byte; 0 when the other side has finished.
  std::size_t receive_some(char* into, std::size_t most, Deadline deadline);

 private:
  std::stop_token cancelled_;
  int descriptor_;
};

}  // namespace hunch
