// Examples: config texts that several tests start from, and what the door says to a text.
#pragma once

#include <string>

#include "hunch/config/config.hpp"

namespace hunch {

inline const std::string good = R"toml([model]
command = ["python3", "sir.py"]
gradient = false
timeout = "10m"
attempts = 3
on_failure = "stop"

[parameters]
beta  = { prior = "lognormal(1, 0.5)", start = 4.0 }
gamma = { prior = "uniform(0, 5)" }

[sampler]
method = "gp-mh"
chains = 4
warmup = 500
draws  = 1000
seed   = 1

[budget]
evaluations = 5000
time = "12h"
goal = { ess = 400, rhat = 1.01 }
)toml";

inline const std::string once = R"toml([model]
command = ["./simulate", "{{beta}}", ""]
style = "once"
template = "inputs/deck.txt"
result_file = "out/loglik.txt"
data_files = ["observed.csv"]
[parameters]
beta = { prior = "normal(0, 1)" }
)toml";

inline const std::string forward = R"toml([model]
url = ["http://localhost:4242", "http://localhost:4243/balancer"]
gives = "forward"
data = [1.5, 2, -0.25]
noise_sd = [0.1, 0.2, 0.3]
config = { level = 2, "odd key: \"x\"" = [1.5, true, "a: b", { deep = -3 }] }
gradient = true
[parameters]
b = { prior = "normal(0, 1)" }
a = { prior = "flat(lower=0)", start = 1 }
[sampler]
method = "gp-mala"
)toml";

inline const std::string library = R"toml([model]
library = "./model.so"
[parameters]
x = { prior = "normal(0, 1)" }
)toml";

inline const std::string problem = "model.problem = \"sir\"\n";

// The first occurrence replaced; the text must be there.
inline std::string with(std::string text, const std::string& old, const std::string& now) {
  const auto at = text.find(old);
  return at == std::string::npos ? "no such text in the example: " + old : text.replace(at, old.size(), now);
}

// What the door says, or "accepted".
inline std::string complaint(const std::string& text) {
  try {
    parse_config(text, "run.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace hunch
