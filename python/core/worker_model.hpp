// WorkerModel: the model that is a Python function in worker processes, which a nursery forks for us.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hunch/model/model.hpp"
#include "hunch/model/seats.hpp"

namespace hunch::python {

// A file descriptor of ours.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }

 private:
  int number_ = -1;
};

// The single-threaded process (hunch/_workers.py) that was forked before there were threads and forks all
// workers; it ends them when the socket to it is closed, however this process ends.
class Nursery {
 public:
  explicit Nursery(Descriptor socket);

  struct Worker {
    pid_t process;
    Descriptor socket;
  };
  std::optional<Worker> birth();            // nothing if the nursery is gone; from any thread
  std::string death(const Worker& worker);  // ends its whole process group; in words, how it ended

 private:
  std::mutex mutex_;
  Descriptor socket_;
};

struct WorkerSettings {
  int workers = 1;  // processes, 1 or more; started when first needed
  Capabilities capabilities = {false};
  std::optional<double> timeout_seconds = std::nullopt;  // of one evaluation
};

// Waits without the GIL. A worker that dies or is too late is a failure of that point, and is replaced.
class WorkerModel final : public Model {
 public:
  WorkerModel(Descriptor nursery, WorkerSettings settings);
  ~WorkerModel() override;

  Capabilities capabilities() const override { return settings_.capabilities; }
  Outcome evaluate(const Vector& theta, Want want) override;
  void cancel() override;

 private:
  enum class Waited { answer, too_late, cancelled };
  Waited wait_for(const Nursery::Worker& worker) const;
  Outcome ended(std::optional<Nursery::Worker>& worker, OutcomeKind kind, const std::string& words);

  WorkerSettings settings_;
  Nursery nursery_;
  Seats seats_;
  std::vector<std::optional<Nursery::Worker>> workers_;
  Descriptor cancelled_;  // readable once cancel() was called
};

}  // namespace hunch::python
