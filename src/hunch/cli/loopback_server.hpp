// LoopbackServer: answers GET requests of this machine's own browsers, and of nobody else.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace hunch::cli {

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// Listens on 127.0.0.1 alone. A request is answered only if it is a GET whose Host is this server as it calls
// itself: a page of another site that made its name point here (DNS rebinding) learns nothing.
class LoopbackServer {
 public:
  explicit LoopbackServer(int port);  // 0: one that is free. InputError if it cannot be had
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  int port() const { return port_; }

  // Answers one path after the other until `stopped`, which is asked a few times a second.
  void serve(const std::function<HttpAnswer(const std::string& path)>& answer,
             const std::function<bool()>& stopped);

 private:
  int listener_;
  int port_;
};

// What is sent back for the head of a request; for tests, and for serve.
std::string response_to(const std::string& head, int port,
                        const std::function<HttpAnswer(const std::string& path)>& answer);

}  // namespace hunch::cli
