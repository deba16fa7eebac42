#include "hunch/evaluation/pool.hpp"

namespace hunch {

Pool::Pool(int workers) {
  for (int worker = 0; worker < workers; ++worker) threads_.emplace_back([this, worker] { loop(worker); });
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::closing;
  }
  begin_.notify_all();
}

void Pool::start(Index count, const Work& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    count_ = count;
    next_ = done_ = 0;
  }
  begin_.notify_all();
}

void Pool::wait() {
  std::unique_lock lock(mutex_);
  end_.wait(lock, [&] { return done_ == count_; });
}

void Pool::loop(int worker) {
  std::unique_lock lock(mutex_);
  while (true) {
    begin_.wait(lock, [&] { return phase_ == Phase::closing || next_ < count_; });
    if (phase_ == Phase::closing) return;
    const Index task = next_++;
    const Work& work = *work_;
    lock.unlock();
    work(task, worker);
    lock.lock();
    if (++done_ == count_) end_.notify_all();
  }
}

}  // namespace hunch
