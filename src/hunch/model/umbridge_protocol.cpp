#include "hunch/model/umbridge_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace hunch {

namespace {

using nlohmann::json;

constexpr int deepest_nesting = 32;

// How a bare word that is no finite number is written as a JSON string; nothing when it is something else.
std::optional<std::string_view> as_nonfinite(std::string_view word) {
  std::string plain;
  for (const char c : word) plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool negative = plain.starts_with('-');
  if (negative || plain.starts_with('+')) plain.erase(0, 1);
  if (plain == "nan") return "\"nan\"";
  const bool overflows = plain.size() > 3 && std::isdigit(static_cast<unsigned char>(plain[0])) != 0 &&
                         plain.find_first_not_of("0123456789.e+-") == std::string::npos &&
                         std::isinf(std::strtod(plain.c_str(), nullptr));
  if (plain != "inf" && plain != "infinity" && !overflows) return std::nullopt;
  return negative ? "\"-inf\"" : "\"inf\"";
}

// The length of the JSON string that `text` begins with, quotes included; all of it when it does not end.
std::size_t string_length(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

OutcomeKind kind_of(const NetworkFailure& failure) {
  switch (failure.kind()) {
    case NetworkFailure::Kind::unreachable:
    case NetworkFailure::Kind::cancelled:
      return OutcomeKind::lost;
    case NetworkFailure::Kind::closed:
      return OutcomeKind::crash;
    case NetworkFailure::Kind::timeout:
      return OutcomeKind::timeout;
    case NetworkFailure::Kind::malformed:
    case NetworkFailure::Kind::too_big:
      return OutcomeKind::protocol;
  }
  return OutcomeKind::protocol;
}

OutcomeKind kind_of_status(int status) {
  switch (status) {
    case 408:
    case 429:
    case 502:
    case 503:
    case 504:
      return OutcomeKind::lost;
    default:
      return status >= 500 ? OutcomeKind::crash : OutcomeKind::protocol;
  }
}

// The UM-Bridge error object, if that is what the answer holds.
std::optional<std::string> error_in(const json& answer) {
  if (!answer.is_object() || !answer.contains("error")) return std::nullopt;
  const json& error = answer["error"];
  const auto text = [&error](const char* key) {
    return error.is_object() && error.contains(key) && error[key].is_string() ? error[key].get<std::string>()
                                                                              : std::string("(not said)");
  };
  return plain_line(text("type") + ": " + text("message"));
}

// What the server says went wrong: its error object, its exception header, or the text it sent.
std::string explanation(const HttpAnswer& answer) {
  if (auto error = error_in(parse_lenient_json(answer.body))) return *error;
  if (const auto what = answer.header("EXCEPTION_WHAT")) return plain_line(*what);
  if (const auto where = answer.header("Location")) return "redirected to " + plain_line(*where);
  const auto first = answer.body.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "no explanation";
  return answer.body[first] == '<' ? "a web page" : plain_line(answer.body);
}

}  // namespace

std::string plain_line(std::string_view text) {
  constexpr std::size_t beginning = 200;
  constexpr std::size_t end = 300;
  std::string line;
  const auto add = [&line](std::string_view piece) {
    for (const char c : piece) {
      const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
      if (space && (line.empty() || line.back() == ' ')) continue;
      line += space ? ' ' : c > ' ' && c < 0x7f ? c : '?';
    }
  };
  if (text.size() <= beginning + end) {
    add(text);
  } else {
    add(text.substr(0, beginning));
    add(" ... ");
    add(text.substr(text.size() - end));
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

json parse_lenient_json(std::string_view text) {
  std::string strict;
  strict.reserve(text.size());
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    std::size_t length = 1;
    std::string_view piece;
    if (c == '"') {
      length = string_length(text.substr(i));
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_nesting) return json(json::value_t::discarded);
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (std::string_view(" \t\r\n,:").find(c) == std::string_view::npos) {
      length = std::min(text.find_first_of(" \t\r\n,:\"[]{}", i), text.size()) - i;
      piece = as_nonfinite(text.substr(i, length)).value_or(std::string_view{});
    }
    strict += piece.empty() ? text.substr(i, length) : piece;
    i += length;
  }
  return json::parse(strict, nullptr, /*allow_exceptions=*/false);
}

json ask_umbridge(const HttpServer& server, const std::string& endpoint, const json& question,
                  const HttpLimits& limits) {
  const auto fail = [&](OutcomeKind kind, std::string_view reason) {
    throw UmBridgeFailure{kind, fmt::format("{}: {}", endpoint, reason)};
  };
  HttpAnswer answer;
  try {
    const bool get = question.is_null();
    answer = server.exchange({get ? "GET" : "POST", endpoint, get ? "" : question.dump()}, limits);
  } catch (const NetworkFailure& failure) {
    fail(kind_of(failure), failure.what());
  }
  if (answer.status != 200)
    fail(kind_of_status(answer.status), fmt::format("status {}, {}", answer.status, explanation(answer)));
  json found = parse_lenient_json(answer.body);
  if (found.is_discarded())
    fail(OutcomeKind::protocol, fmt::format("the answer is not JSON: \"{}\"", plain_line(answer.body)));
  if (const auto error = error_in(found)) fail(OutcomeKind::protocol, *error);
  return found;
}

double json_number(const json& value) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (value.is_number()) return value.get<double>();
  if (value.is_null())
    throw UmBridgeFailure{OutcomeKind::nan,
                          "the answer is null, which servers write for NaN and for either infinity"};
  if (value == "nan") return nan;
  if (value == "inf") return infinite;
  if (value == "-inf") return -infinite;
  throw UmBridgeFailure{OutcomeKind::protocol,
                        "the answer holds something that is no number: " +
                            plain_line(value.dump(-1, ' ', true, json::error_handler_t::replace))};
}

}  // namespace hunch
