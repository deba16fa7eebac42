// Session: a job run against its store: what was paid for before is free, what is paid for now is kept.
#pragma once

#include "hunch/evaluation/store.hpp"
#include "hunch/run/job.hpp"
#include "hunch/run/watch.hpp"

namespace hunch {

// Whose evaluations a store holds.
enum class StoreHolds {
  this_run,  // this run's own, and what it took over: a repeated run asks for all of them before it pays
  any_run,   // those of runs with other settings too: nothing follows from what is there
};

struct SessionOptions {
  int workers = 1;
  std::function<void(const Progress&)> on_round = {};
  std::function<bool()> interrupted = {};  // asked between rounds
  StoreHolds store_holds = StoreHolds::this_run;
  std::function<Stopping(int under_way)> stopping =
      {};  // asked by another thread while evaluations are under way
};

// Samples, or goes on sampling: resuming is running the same loop again while the store answers. Throws
// InputError when it leaves the path that the store shows (ReplayCheck), before it pays for anything;
// EvaluationsAbandoned when it was told to stop in the middle of a round: what was answered is in the store.
RunResult run_session(const Job& job, Model& model, Store& store, const SessionOptions& options);

// The same with nothing kept and nothing known before.
RunResult run_session(const Job& job, Model& model, const SessionOptions& options);

// The run as far as the store knows it; costs no evaluation, needs no model. InputError as above.
RunResult replay(const Job& job, Store& store);

}  // namespace hunch
