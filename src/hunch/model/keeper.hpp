// Keeper: a small process beside this one that outlives it for a moment: when this one is killed, it ends
// whatever carries its mark, so that no evaluation goes on for hours for nobody.
#pragma once

#include <string>

#include "hunch/model/child_process.hpp"

namespace hunch {

class Keeper {
 public:
  // Copies this process, so the sooner the better; throws StartFailure.
  Keeper();
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  // To be put into the environment of what is to be kept.
  const std::string& mark() const { return mark_; }

 private:
  std::string mark_;
  Descriptor lifeline_;  // its other end is all that the keeper looks at
  pid_t process_;
};

}  // namespace hunch
