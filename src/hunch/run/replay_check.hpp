// ReplayCheck: whether a run that is repeated from its store asks for what it asked for before.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "hunch/evaluation/evaluator.hpp"
#include "hunch/evaluation/store.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

// A program that was built otherwise may round otherwise, leave the path of the run it goes on with, and pay
// for everything anew without anybody noticing.
class ReplayCheck {
 public:
  // What `store` holds now of this run's own; what it took over from another run need not be asked for.
  ReplayCheck(const Store& store, const Parameters& parameters);

  // To be told of every batch before it is asked for. InputError when something in it is not known although
  // not all that is known was asked for.
  void about_to_ask(const std::vector<Vector>& thetas, const Evaluator& evaluator, Want want);

 private:
  [[noreturn]] void refuse(const Vector& unknown) const;
  std::string described(const Vector& theta) const;

  const Store& store_;
  const Parameters& parameters_;
  std::size_t own_ = 0;
  std::unordered_set<std::string> unasked_;  // by the bits of theta
};

}  // namespace hunch
