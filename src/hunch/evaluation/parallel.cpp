#include "hunch/evaluation/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace hunch {

void for_each_index(Index count, int workers, const std::function<void(Index)>& work) {
  if (workers <= 1 || count <= 1) {
    for (Index i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<Index> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto loop = [&] {
    for (Index i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (Index t = 1; t < std::min<Index>(workers, count); ++t) threads.emplace_back(loop);
    loop();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hunch
