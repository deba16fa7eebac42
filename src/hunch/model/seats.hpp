// Seats: which of a fixed number of places is taken; whoever finds all of them taken waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace hunch {

class Seats {
 public:
  explicit Seats(std::size_t count) : taken_(count) {}

  // A place for one thread at a time, until it is destroyed.
  class Seat {
   public:
    explicit Seat(Seats& seats) : seats_(seats), number_(seats.take()) {}
    ~Seat() { seats_.leave(number_); }
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    std::size_t number() const { return number_; }

   private:
    Seats& seats_;
    std::size_t number_;
  };

 private:
  // Departures are read before the search: one that the search misses has changed the count when we wait.
  std::size_t take() {
    for (;;) {
      const auto seen = departures_.load();
      for (std::size_t i = 0; i < taken_.size(); ++i)
        if (!taken_[i].test_and_set()) return i;
      departures_.wait(seen);
    }
  }

  void leave(std::size_t number) {
    taken_[number].clear();
    ++departures_;
    departures_.notify_one();
  }

  std::vector<std::atomic_flag> taken_;
  std::atomic<unsigned> departures_ = 0;
};

}  // namespace hunch
