// HttpUrl: where a server is, read from what the user wrote.
#pragma once

#include <string>
#include <string_view>

namespace hunch {

struct HttpUrl {
  std::string text;    // as the user wrote it
  std::string host;    // a name or an address, without brackets
  std::string port;    // decimal
  std::string prefix;  // the path before an endpoint, without a slash at its end
};

// "http://host[:port][/prefix]"; anything else is an InputError.
HttpUrl parse_http_url(std::string_view text);

}  // namespace hunch
