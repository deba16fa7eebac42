// Job: a config made ready to run: parameters, model, starts, settings, and what its evaluations belong to.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "hunch/config/config.hpp"
#include "hunch/evaluation/identity.hpp"
#include "hunch/model/model.hpp"
#include "hunch/run/run.hpp"

namespace hunch {

struct Job {
  Config config;  // as written, but with a problem's own parameters filled in
  Parameters parameters;
  Identity identity;
  RunSettings settings;
  std::vector<Vector> starts;
  Proposal proposal;
};

// `base` is the directory that the config's relative paths are seen from. Reads the model's files for their
// digests. Throws InputError.
Job make_job(Config config, const std::filesystem::path& base);

// Opens the door to the job's model; at most `workers` evaluations at a time. Throws InputError or
// ModelUnavailable.
std::unique_ptr<Model> open_model(const Job& job, const std::filesystem::path& base, int workers);

}  // namespace hunch
