// UmBridgeServed: what a server says of its model, asked once, and whether it fits.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hunch/model/http_client.hpp"
#include "hunch/model/umbridge_model.hpp"

namespace hunch {

struct UmBridgeServed {
  std::vector<Index> input_sizes;
  std::vector<Index> output_sizes;
  bool gradient;

  bool operator==(const UmBridgeServed&) const = default;
};

// Asks /Info, /ModelInfo and both sizes; `question` holds the model's name and config. UmBridgeFailure when
// the model is not served or the answers make no sense.
UmBridgeServed describe_umbridge(const HttpServer& server, const nlohmann::json& question,
                                 const HttpLimits& limits);

// UmBridgeFailure (protocol) when the sizes do not fit the settings, or a required gradient is not served.
void check_fit(const UmBridgeServed& served, const UmBridgeSettings& settings, Index dimension);

}  // namespace hunch
