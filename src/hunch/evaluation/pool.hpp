// Pool: a few threads that wait for work, so that none has to be started for each call.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

class Pool {
 public:
  using Work = std::function<void(Index task, int worker)>;

  explicit Pool(int workers);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Has work(task, worker) called once for each task 0 .. count-1, in no particular order; returns at once.
  // work must not throw, and must live until wait() has returned, which must be called before the next start.
  void start(Index count, const Work& work);
  void wait();

 private:
  void loop(int worker);

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const Work* work_ = nullptr;
  Index count_ = 0, next_ = 0, done_ = 0;
  enum class Phase { open, closing } phase_ = Phase::open;
  std::vector<std::jthread> threads_;
};

}  // namespace hunch
