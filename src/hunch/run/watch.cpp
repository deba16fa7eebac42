#include "hunch/run/watch.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace hunch {

Watch::Watch(Evaluator& evaluator, std::function<Stopping(int under_way)> stopping) {
  if (!stopping) return;
  thread_ = std::jthread([&evaluator, stopping = std::move(stopping)](const std::stop_token& end) {
    constexpr std::chrono::milliseconds tick{100};
    std::mutex mutex;
    std::condition_variable_any end_comes;
    std::unique_lock lock(mutex);
    while (!end_comes.wait_for(lock, end, tick, [&] { return end.stop_requested(); })) {
      const int under_way = evaluator.under_way();
      const Stopping wanted = under_way > 0 ? stopping(under_way) : Stopping::not_yet;
      if (wanted == Stopping::at_once) return evaluator.abandon();
      if (wanted == Stopping::after_those_under_way) evaluator.begin_no_more();
    }
  });
}

}  // namespace hunch
