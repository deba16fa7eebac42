// UmBridgeModel: a likelihood served over HTTP by the UM-Bridge protocol, by one server or several equal
// ones.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hunch/model/model.hpp"

namespace hunch {

struct UmBridgeSettings {
  // What the served model computes. A log posterior is sampled as it is: the prior here should then be flat.
  enum class Gives { log_likelihood, log_posterior, forward };
  enum class UseGradient { if_served, never, required };

  std::vector<std::string> urls;        // http://host[:port][/path]; at least one, all serving the same model
  std::string model_name;               // as listed by the servers
  Gives gives = Gives::log_likelihood;  //
  Index output_index = 0;               // which element of the first output is the log density
  Vector data;                          // forward: what the first output is compared with
  Vector noise_sd;                      // forward: positive; one for all data, or one each
  std::string config_json;              // a JSON object passed to the model; empty: none is sent
  UseGradient gradient = UseGradient::if_served;
  double connect_timeout_seconds = 10;  // > 0
  double timeout_seconds = 600;         // > 0; one evaluation, its gradient included, connecting included
  int concurrent_per_url = 1;           // >= 1; more for a balancer that has several models behind it
};

// There is no server to talk to (or it fails before it was asked for an evaluation).
class ModelUnavailable : public std::runtime_error {
 public:
  ModelUnavailable(const std::string& url, const std::string& reason);
  const std::string& url() const { return url_; }

 private:
  std::string url_;
};

// Asks every server once what it serves, and checks it against the settings and the dimension. Throws
// InputError when they do not fit, ModelUnavailable when a server does not answer.
//
// An evaluation waits for a server with a free place, asks once and never again by itself. Its outcomes are
// those of ask_umbridge (umbridge_protocol.hpp); moreover an answer of the wrong shape is `protocol`; NaN,
// null and plus infinity are `nan`; minus infinity is `zero`, save in a forward output, where it too is
// `nan`.
std::unique_ptr<Model> open_umbridge(UmBridgeSettings settings, Index dimension);

}  // namespace hunch
