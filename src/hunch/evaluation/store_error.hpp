// StoreError: the ways in which a store says no.
#pragma once

#include <stdexcept>

namespace hunch {

// The file does not belong here, is in use, or is damaged. Nothing was written; the user must act.
class StoreRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// In use by another process, which the message names: a run in progress, or a command that reads one.
class StoreInUse : public StoreRefused {
 public:
  using StoreRefused::StoreRefused;
};

// The disk failed or is full. What was acknowledged is safe; the run can be resumed once the cause is gone.
class StoreFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace hunch
