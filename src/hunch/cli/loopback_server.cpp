#include "hunch/cli/loopback_server.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "hunch/core/types.hpp"

namespace hunch::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_head_bytes = 16384;
constexpr std::size_t most_connections = 64;
constexpr std::chrono::seconds patience{20};  // with one connection
constexpr int look_around_ms = 200;

// One request, then its answer, then the end.
struct Connection {
  int descriptor;
  Clock::time_point end_by;
  std::string received = {}, to_send = {};
  std::size_t sent = 0;
  bool over = false;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The value of the only header of this name; empty if there is none, or more than one.
std::string header(const std::string& head, const std::string& name) {
  std::string value;
  int found = 0;
  for (std::size_t at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at + 2)) {
    const std::size_t colon = head.find(':', at + 2), end = head.find("\r\n", at + 2);
    if (colon == std::string::npos || end == std::string::npos || colon > end) continue;
    if (lower(head.substr(at + 2, colon - at - 2)) != name) continue;
    value = head.substr(colon + 1, end - colon - 1);
    value.erase(0, value.find_first_not_of(" \t"));
    value.erase(value.find_last_not_of(" \t") + 1);
    ++found;
  }
  return found == 1 ? value : "";
}

const char* words_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Internal Server Error";
  }
}

std::string written(const HttpAnswer& answer) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\nContent-Length: {}\r\nContent-Type: {}\r\n",
                                 answer.status, words_of(answer.status), answer.body.size(), answer.type);
  text +=
      "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: "
      "DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n";
  for (const auto& [name, value] : answer.headers) text += name + ": " + value + "\r\n";
  return text + "\r\n" + answer.body;
}

void receive(Connection& connection, int port, const std::function<HttpAnswer(const std::string&)>& answer) {
  char bytes[4096];
  const ssize_t count = ::recv(connection.descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    connection.over = true;
    return;
  }
  connection.received.append(bytes, static_cast<std::size_t>(count));
  const std::size_t end = connection.received.find("\r\n\r\n");
  if (end != std::string::npos)
    connection.to_send = response_to(connection.received.substr(0, end + 2), port, answer);
  else if (connection.received.size() > most_head_bytes)
    connection.to_send = written({.status = 400, .body = "the request is too long\n"});
}

void send_more(Connection& connection) {
  const ssize_t count = ::send(connection.descriptor, connection.to_send.data() + connection.sent,
                               connection.to_send.size() - connection.sent, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) connection.over = true;
  if (count > 0) connection.sent += static_cast<std::size_t>(count);
  if (connection.sent == connection.to_send.size()) connection.over = true;
}

}  // namespace

std::string response_to(const std::string& head, int port,
                        const std::function<HttpAnswer(const std::string& path)>& answer) {
  const std::string line = head.substr(0, head.find("\r\n"));
  const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
  if (first == std::string::npos || second == std::string::npos ||
      line.compare(second + 1, 7, "HTTP/1.") != 0)
    return written({.status = 400, .body = "this is not an HTTP request\n"});
  const std::string host = lower(header(head, "host")), number = std::to_string(port);
  if (host != "127.0.0.1:" + number && host != "localhost:" + number)
    return written({.status = 403, .body = "only for browsers of this machine\n"});
  if (line.substr(0, first) != "GET") return written({.status = 405, .headers = {{"Allow", "GET"}}});
  const std::string path = line.substr(first + 1, second - first - 1);
  return written(answer(path.substr(0, path.find('?'))));
}

LoopbackServer::LoopbackServer(int port)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), port_(port) {
  if (listener_ < 0) throw InputError(std::string("no socket: ") + std::strerror(errno));
  const int yes = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    const std::string why = std::strerror(errno);
    ::close(listener_);
    throw InputError(fmt::format("cannot listen on port {} of 127.0.0.1: {}", port, why));
  }
  port_ = ntohs(address.sin_port);
}

LoopbackServer::~LoopbackServer() {
  ::close(listener_);
}

// One thread: a browser opens connections on which it says nothing, so none is waited for.
void LoopbackServer::serve(const std::function<HttpAnswer(const std::string& path)>& answer,
                           const std::function<bool()>& stopped) {
  std::vector<Connection> connections;
  while (!stopped()) {
    std::vector<pollfd> watched = {{listener_, POLLIN, 0}};
    for (const Connection& one : connections)
      watched.push_back({one.descriptor, static_cast<short>(one.to_send.empty() ? POLLIN : POLLOUT), 0});
    if (::poll(watched.data(), watched.size(), look_around_ms) < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      Connection& one = connections[i];
      if (watched[i + 1].revents != 0) one.to_send.empty() ? receive(one, port_, answer) : send_more(one);
      if (Clock::now() > one.end_by) one.over = true;
      if (one.over) ::close(one.descriptor);
    }
    std::erase_if(connections, [](const Connection& one) { return one.over; });
    if ((watched[0].revents & POLLIN) == 0 || connections.size() >= most_connections) continue;
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor >= 0) connections.push_back({descriptor, Clock::now() + patience});
  }
  for (const Connection& one : connections) ::close(one.descriptor);
}

}  // namespace hunch::cli
