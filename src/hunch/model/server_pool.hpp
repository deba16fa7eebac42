// ServerPool: which of several equal servers takes the next request.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <vector>

namespace hunch {

class ServerPool {
 public:
  enum class Found { well, lost };

  ServerPool(std::size_t servers, int at_once_each);

  // A place at one server, held for one evaluation and given back when it goes out of scope.
  class Place {
   public:
    explicit Place(ServerPool& pool) : pool_(pool), server_(pool.take()) {}
    ~Place() { pool_.give_back(server_, found_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    std::size_t server() const { return server_; }
    // The server is gone: while any other is well, nobody is sent there for half a minute. Without this a
    // dead server, always free, would take every request and fail it.
    void report_lost() { found_ = Found::lost; }

   private:
    ServerPool& pool_;
    std::size_t server_;
    Found found_ = Found::well;
  };

 private:
  struct Server {
    int busy = 0;
    std::chrono::steady_clock::time_point rests_until{};
  };

  std::size_t take();  // waits until a place is free
  void give_back(std::size_t server, Found found);

  std::mutex mutex_;  // guards servers_ and next_
  std::vector<Server> servers_;
  std::size_t next_ = 0;
  int at_once_each_;
  std::atomic<unsigned> given_back_ = 0;  // changes whenever it is worth looking again
};

}  // namespace hunch
