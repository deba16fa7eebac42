// Session: a job run against its store: what was paid for before is free, what is paid for now is kept.
#pragma once

#include "hunch/evaluation/store.hpp"
#include "hunch/run/job.hpp"

namespace hunch {

struct SessionOptions {
  int workers = 1;
  std::function<void(const Progress&)> on_round = {};
  std::function<bool()> interrupted = {};  // asked between rounds
};

// Samples, or goes on sampling: resuming is running the same loop again while the store answers.
RunResult run_session(const Job& job, Model& model, Store& store, const SessionOptions& options);

// The run as far as the store knows it; costs no evaluation, needs no model.
RunResult replay(const Job& job, Store& store);

}  // namespace hunch
