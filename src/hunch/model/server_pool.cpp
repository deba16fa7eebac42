#include "hunch/model/server_pool.hpp"

#include <algorithm>

namespace hunch {

ServerPool::ServerPool(std::size_t servers, int at_once_each)
    : servers_(servers), at_once_each_(at_once_each) {}

std::size_t ServerPool::take() {
  for (;;) {
    const unsigned seen = given_back_.load();
    {
      const std::lock_guard lock(mutex_);
      const auto now = std::chrono::steady_clock::now();
      const auto well = [now](const Server& server) { return server.rests_until <= now; };
      const bool none_well = std::none_of(servers_.begin(), servers_.end(), well);
      for (std::size_t i = 0; i < servers_.size(); ++i) {
        const std::size_t candidate = (next_ + i) % servers_.size();
        Server& server = servers_[candidate];
        if (server.busy >= at_once_each_ || !(none_well || well(server))) continue;
        ++server.busy;
        next_ = candidate + 1;
        return candidate;
      }
    }
    given_back_.wait(seen);
  }
}

void ServerPool::give_back(std::size_t server, Found found) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    --servers_[server].busy;
    servers_[server].rests_until = found == Found::lost ? now + std::chrono::seconds(30) : now;
  }
  ++given_back_;
  given_back_.notify_all();
}

}  // namespace hunch
