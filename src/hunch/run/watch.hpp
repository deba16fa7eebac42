// Watch: asks, while the run waits for evaluations, whether it is to stop, and tells the evaluator.
#pragma once

#include <functional>
#include <thread>

#include "hunch/evaluation/evaluator.hpp"

namespace hunch {

enum class Stopping {
  not_yet,
  after_those_under_way,  // no evaluation is begun any more
  at_once,                // and those under way are abandoned
};

// `stopping` is asked by a thread of the watch's own, a few times a second while evaluations are under way,
// and told how many there are. When it is asked again after `after_those_under_way`, none begins any more;
// after `at_once` it is not asked again.
class Watch {
 public:
  Watch(Evaluator& evaluator, std::function<Stopping(int under_way)> stopping);

 private:
  std::jthread thread_;
};

}  // namespace hunch
