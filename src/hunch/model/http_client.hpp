// HttpClient: one HTTP/1.1 exchange with a server that may do anything, ended by a deadline, bounded in
// bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hunch/model/http_url.hpp"
#include "hunch/model/tcp_connection.hpp"

namespace hunch {

struct HttpRequest {
  std::string method;
  std::string endpoint;  // "/Info"
  std::string body;      // JSON; sent unless empty
};

struct HttpLimits {
  double connect_seconds;  // for the connection alone
  Deadline answer_by;      // for the whole exchange, connecting included
  std::size_t largest_body = std::size_t{64} << 20;
  std::size_t largest_head = std::size_t{64} << 10;  // all lines together, trailers included
  std::stop_token cancelled = {};                    // ends it at once
};

struct HttpAnswer {
  int status;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  std::optional<std::string> header(std::string_view name) const;  // in any case; the first one
};

// A server whose name was looked up once. Each exchange has a connection of its own: nothing that one answer
// leaves behind can reach the next. Redirects are answers, never followed; compressed bodies are refused.
class HttpServer {
 public:
  explicit HttpServer(HttpUrl url);  // throws NetworkFailure when the name has no address

  const HttpUrl& url() const { return url_; }
  // Throws NetworkFailure when there is no complete answer. Safe from several threads.
  HttpAnswer exchange(const HttpRequest& request, const HttpLimits& limits) const;

 private:
  HttpUrl url_;
  std::vector<SocketAddress> addresses_;
};

}  // namespace hunch
