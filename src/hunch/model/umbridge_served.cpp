#include "hunch/model/umbridge_served.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "hunch/model/umbridge_protocol.hpp"

namespace hunch {

namespace {

using nlohmann::json;
using Gives = UmBridgeSettings::Gives;
using UseGradient = UmBridgeSettings::UseGradient;

// The sizes under `key`: a list of positive integers.
std::vector<Index> sizes_in(const json& answer, const char* key) {
  std::vector<Index> sizes;
  const bool listed = answer.is_object() && answer.contains(key) && answer[key].is_array();
  if (listed)
    for (const json& size : answer[key]) {
      const double number = size.is_number() ? size.get<double>() : 0;
      if (number >= 1 && number <= 1e9 && number == std::floor(number))
        sizes.push_back(static_cast<Index>(number));
    }
  if (!listed || sizes.empty() || sizes.size() != answer[key].size())
    throw UmBridgeFailure{OutcomeKind::protocol, fmt::format("{} is not a list of sizes", key)};
  return sizes;
}

// The protocol's version, and the model among those served.
void check_info(const json& info, const std::string& model_name) {
  if (!info.is_object() || !info.contains("protocolVersion") || !info["protocolVersion"].is_number() ||
      !info.contains("models") || !info["models"].is_array())
    throw UmBridgeFailure{OutcomeKind::protocol, "this is not a UM-Bridge server"};
  const double version = info["protocolVersion"].get<double>();
  if (version < 1 || version >= 2)
    throw UmBridgeFailure{OutcomeKind::protocol, fmt::format("protocol version {}, expected 1.x", version)};
  const json& models = info["models"];
  if (std::find(models.begin(), models.end(), model_name) != models.end()) return;
  std::vector<std::string> served;
  for (const json& model : models)
    if (model.is_string()) served.push_back(model.get<std::string>());
  throw UmBridgeFailure{OutcomeKind::protocol,
                        plain_line(fmt::format("model \"{}\" is not served here, only: {}", model_name,
                                               fmt::join(served, ", ")))};
}

bool supports(const json& model_info, const char* feature) {
  if (!model_info.is_object() || !model_info.contains("support")) return false;
  const json& support = model_info["support"];
  return support.is_object() && support.contains(feature) && support[feature] == true;
}

}  // namespace

UmBridgeServed describe_umbridge(const HttpServer& server, const json& question, const HttpLimits& limits) {
  check_info(ask_umbridge(server, "/Info", nullptr, limits), question["name"]);
  const json info = ask_umbridge(server, "/ModelInfo", {{"name", question["name"]}}, limits);
  if (!supports(info, "Evaluate"))
    throw UmBridgeFailure{OutcomeKind::protocol, "the model does not support Evaluate"};
  return {sizes_in(ask_umbridge(server, "/InputSizes", question, limits), "inputSizes"),
          sizes_in(ask_umbridge(server, "/OutputSizes", question, limits), "outputSizes"),
          supports(info, "Gradient")};
}

void check_fit(const UmBridgeServed& served, const UmBridgeSettings& settings, Index dimension) {
  const auto refuse = [](const std::string& why) { throw UmBridgeFailure{OutcomeKind::protocol, why}; };
  const Index inputs = std::accumulate(served.input_sizes.begin(), served.input_sizes.end(), Index{0});
  const Index outputs = served.output_sizes.front();
  if (inputs != dimension)
    refuse(fmt::format("the model takes {} numbers ({}), there are {} parameters", inputs,
                       fmt::join(served.input_sizes, " + "), dimension));
  if (settings.gives == Gives::forward && outputs != settings.data.size())
    refuse(fmt::format("the model's first output has {} numbers, there are {} data", outputs,
                       settings.data.size()));
  if (settings.gives != Gives::forward && settings.output_index >= outputs)
    refuse(fmt::format("output index {}: the model's first output has {} numbers", settings.output_index,
                       outputs));
  if (settings.gradient == UseGradient::required && !served.gradient)
    refuse("a gradient is required, and the model does not serve one");
}

}  // namespace hunch
