// UmBridgeProtocol: what a UM-Bridge server's answer means, and what its failures are called here.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "hunch/model/http_client.hpp"
#include "hunch/model/model.hpp"

namespace hunch {

// A request that gave no usable answer: carried as an exception inside this room, an Outcome outside it.
struct UmBridgeFailure {
  OutcomeKind kind;
  std::string message;
};

// The JSON of one endpoint's answer to `question` (null: GET); throws UmBridgeFailure:
//   never connected, host gone, 408, 429, 502, 503, 504   lost      (a balancer speaks for a server that is
//   gone) connection closed or reset, answer broken off, 5xx    crash     (this is how a model that dies
//   looks) no complete answer by the deadline                    timeout other statuses, redirects,
//   compressed, too big, not JSON, deeper than 32 levels                       protocol
nlohmann::json ask_umbridge(const HttpServer& server, const std::string& endpoint,
                            const nlohmann::json& question, const HttpLimits& limits);

// JSON as real servers write it: bare nan, NaN, inf, -Infinity and numbers beyond a double's range become the
// strings "nan", "inf", "-inf". A value that is discarded (is_discarded) was not JSON even so.
nlohmann::json parse_lenient_json(std::string_view text);

// One number of an answer, perhaps not finite. Throws UmBridgeFailure: `nan` for null, which C++ servers
// write for NaN and both infinities, so that which it was cannot be known; `protocol` for what is no number.
double json_number(const nlohmann::json& value);

// Text from outside as one harmless line: printable ASCII, the beginning and the end of what is long.
std::string plain_line(std::string_view text);

}  // namespace hunch
