#include "hunch/model/http_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
namespace hunch {

namespace {

using Kind = NetworkFailure::Kind;

[[noreturn]] void malformed(const std::string& reason) {
  throw NetworkFailure(Kind::malformed, "not a proper HTTP answer: " + reason);
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// All of `text` as an unsigned number: digits only, no sign, no overflow.
std::optional<std::size_t> unsigned_in(std::string_view text, int base) {
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// Takes lines and counted bytes off a connection, and counts what it took.
class AnswerReader {
 public:
  AnswerReader(TcpConnection& connection, const HttpLimits& limits)
      : connection_(connection), limits_(limits), head_left_(limits.largest_head) {}

  // One line without its end. All lines of an answer share one allowance.
  std::string line() {
    std::string found;
    for (;;) {
      if (next_ == end_ && !refill()) throw NetworkFailure(Kind::closed, closed_text());
      const char c = buffer_[next_++];
      if (head_left_-- == 0) throw NetworkFailure(Kind::too_big, "the head of the answer does not end");
      if (c == '\n') break;
      found.push_back(c);
    }
    if (found.ends_with('\r')) found.pop_back();
    return found;
  }

  void append_exactly(std::size_t count, std::string& body) {
    check_room_for(count, body);
    for (std::size_t left = count; left > 0;) {
      if (next_ == end_ && !refill())
        throw NetworkFailure(Kind::closed, fmt::format("the answer broke off {} bytes short", left));
      left -= append_some(left, body);
    }
  }

  void append_until_close(std::string& body) {
    while (next_ != end_ || refill()) {
      check_room_for(end_ - next_, body);
      append_some(end_ - next_, body);
    }
  }

  // Framing lines between chunks do not use up the allowance for the head.
  void restore_allowance(std::size_t line_length) {
    head_left_ = std::min(limits_.largest_head, head_left_ + line_length);
  }

 private:
  bool refill() {
    next_ = 0;
    end_ = connection_.receive_some(buffer_.data(), buffer_.size(), limits_.answer_by);
    received_anything_ |= end_ > 0;
    return end_ > 0;
  }

  std::size_t append_some(std::size_t most, std::string& body) {
    const std::size_t count = std::min(most, end_ - next_);
    body.append(buffer_.data() + next_, count);
    next_ += count;
    return count;
  }

  void check_room_for(std::size_t more, const std::string& body) const {
    if (more > limits_.largest_body - body.size())
      throw NetworkFailure(Kind::too_big,
                           fmt::format("the answer is larger than {} bytes", limits_.largest_body));
  }

  std::string closed_text() const {
    return received_anything_ ? "the answer broke off" : "the connection was closed without an answer";
  }

  TcpConnection& connection_;
  const HttpLimits& limits_;
  std::array<char, 16384> buffer_;
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  std::size_t head_left_;
  bool received_anything_ = false;
};

int status_in(const std::string& line) {
  const bool shaped = line.starts_with("HTTP/1.") && line.size() >= 12 && line[8] == ' ' &&
                      (line.size() == 12 || line[12] == ' ');
  const auto status = shaped ? unsigned_in(std::string_view(line).substr(9, 3), 10) : std::nullopt;
  if (!status || *status < 100) malformed("its first line is no status line");
  return static_cast<int>(*status);
}

HttpAnswer read_head(AnswerReader& reader) {
  HttpAnswer answer{status_in(reader.line()), {}, {}};
  for (std::string line = reader.line(); !line.empty(); line = reader.line()) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || colon == 0) malformed("a header has no name");
    answer.headers.emplace_back(line.substr(0, colon), trimmed(std::string_view(line).substr(colon + 1)));
  }
  return answer;
}

void read_chunks(AnswerReader& reader, std::string& body) {
  for (;;) {
    const std::string line = reader.line();
    const auto size = unsigned_in(trimmed(std::string_view(line).substr(0, line.find(';'))), 16);
    if (!size) malformed("a chunk has no size");
    if (*size == 0) break;
    reader.append_exactly(*size, body);
    if (!reader.line().empty()) malformed("a chunk is longer than its size");
    reader.restore_allowance(line.size() + 4);
  }
  while (!reader.line().empty()) continue;  // trailers say nothing that matters here
}

// How long the body is; nothing when it lasts until the connection closes.
std::optional<std::size_t> announced_length(const HttpAnswer& answer) {
  std::optional<std::size_t> length;
  for (const auto& [name, value] : answer.headers) {
    if (!same_name(name, "Content-Length")) continue;
    const auto found = unsigned_in(value, 10);
    if (!found || (length && *length != *found)) malformed("its length is not a number");
    length = found;
  }
  return length;
}

void read_body(AnswerReader& reader, HttpAnswer& answer) {
  if (answer.status == 204 || answer.status == 304) return;
  const auto encoding = answer.header("Content-Encoding");
  if (encoding && !same_name(*encoding, "identity"))
    malformed("its body is compressed, which was not asked for");
  if (const auto transfer = answer.header("Transfer-Encoding")) {
    if (!same_name(*transfer, "chunked")) malformed("its transfer encoding is unknown");
    read_chunks(reader, answer.body);
  } else if (const auto length = announced_length(answer)) {
    reader.append_exactly(*length, answer.body);
  } else {
    reader.append_until_close(answer.body);
  }
}

std::string request_text(const HttpUrl& url, const HttpRequest& request) {
  const bool bracketed = url.host.find(':') != std::string::npos;
  std::string text = fmt::format(
      "{} {}{} HTTP/1.1\r\nHost: {}{}{}:{}\r\nConnection: close\r\nAccept: application/json\r\n"
      "Accept-Encoding: identity\r\n",
      request.method, url.prefix, request.endpoint, bracketed ? "[" : "", url.host, bracketed ? "]" : "",
      url.port);
  if (!request.body.empty())
    text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", request.body.size());
  return text + "\r\n" + request.body;
}

}  // namespace

std::optional<std::string> HttpAnswer::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (same_name(key, name)) return value;
  return std::nullopt;
}

HttpServer::HttpServer(HttpUrl url) : url_(std::move(url)), addresses_(resolve(url_.host, url_.port)) {}

HttpAnswer HttpServer::exchange(const HttpRequest& request, const HttpLimits& limits) const {
  const Deadline connect_by = std::min(seconds_from_now(limits.connect_seconds), limits.answer_by);
  TcpConnection connection(addresses_, connect_by, limits.cancelled);
  connection.send_all(request_text(url_, request), limits.answer_by);
  AnswerReader reader(connection, limits);
  HttpAnswer answer = read_head(reader);
  while (answer.status < 200)
    answer = read_head(reader);  // "100 Continue" and the like come before an answer
  read_body(reader, answer);
  return answer;
}

}  // namespace hunch
