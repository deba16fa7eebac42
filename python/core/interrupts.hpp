// Interrupts: Ctrl-C while a run goes on: the first asks it to stop after the evaluations under way, the
// second abandons these.
#pragma once

#include <csignal>

namespace hunch::python {

// Whether SIGINT is ours to handle: only in the main thread, and only if the user has no handler of their
// own.
enum class Sigint { ours, left_alone };

// One at a time. While it lives the first SIGINT is only counted, so that it does not tear a user's function;
// from the second on Python is told as well, which raises KeyboardInterrupt in what runs in the main thread.
class Interrupts {
 public:
  explicit Interrupts(Sigint sigint);
  ~Interrupts();  // with the GIL held
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int count() const;  // from any thread
  Sigint sigint() const { return sigint_; }

 private:
  Sigint sigint_;
};

}  // namespace hunch::python
