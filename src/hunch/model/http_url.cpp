#include "hunch/model/http_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hunch/core/types.hpp"

namespace hunch {

namespace {

// What is wrong with a URL, in words; it never leaves this file.
struct Wrong {
  std::string_view why;
};

// Whatever could change the meaning of the request that the URL is written into.
void check_characters(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; }))
    throw Wrong{"it holds a space, a control character or one beyond ASCII"};
  if (text.find_first_of("@?#\\\"<>") != std::string_view::npos)
    throw Wrong{"it holds one of @ ? # \\ \" < >"};
}

std::string port_in(std::string_view text) {
  if (text.empty()) return "80";
  if (text.front() != ':') throw Wrong{"something follows the host"};
  text.remove_prefix(1);
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size() || number < 1 || number > 65535)
    throw Wrong{"the port is not one of 1..65535"};
  return std::to_string(number);
}

// Reads "host:port", "host" or "[address]:port" into `url`.
void read_authority(std::string_view authority, HttpUrl& url) {
  if (authority.starts_with('[')) {
    const auto bracket = authority.find(']');
    if (bracket == std::string_view::npos) throw Wrong{"a bracket is missing"};
    url.host = authority.substr(1, bracket - 1);
    url.port = port_in(authority.substr(bracket + 1));
  } else {
    const auto colon = std::min(authority.find(':'), authority.size());
    url.host = authority.substr(0, colon);
    url.port = port_in(authority.substr(colon));
  }
  if (url.host.empty()) throw Wrong{"there is no host"};
}

}  // namespace

HttpUrl parse_http_url(std::string_view text) {
  try {
    const std::string_view scheme = "http://";
    if (text.starts_with("https://")) throw Wrong{"encrypted connections are not supported"};
    if (!text.starts_with(scheme)) throw Wrong{"it does not begin with http://"};
    check_characters(text);
    const std::string_view rest = text.substr(scheme.size());
    const auto slash = std::min(rest.find('/'), rest.size());
    HttpUrl url{std::string(text), {}, {}, std::string(rest.substr(slash))};
    while (url.prefix.ends_with('/')) url.prefix.pop_back();
    read_authority(rest.substr(0, slash), url);
    return url;
  } catch (const Wrong& wrong) {
    throw InputError(fmt::format("url: got \"{}\", expected http://host[:port][/path]: {}", text, wrong.why));
  }
}

}  // namespace hunch
