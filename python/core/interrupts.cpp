#include "interrupts.hpp"

#include <pybind11/pybind11.h>

#include <atomic>

namespace hunch::python {

namespace {

// A signal's handler can reach nothing else.
std::atomic<int> interrupts = 0;
std::atomic<bool> taken = false;
struct sigaction before;

void count_interrupt(int signal) {
  if (++interrupts >= 2 && before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    before.sa_handler(signal);
}

}  // namespace

Interrupts::Interrupts(Sigint sigint) : sigint_(taken ? Sigint::left_alone : sigint) {
  if (sigint_ == Sigint::left_alone) return;
  taken = true;
  interrupts = 0;
  struct sigaction action {};
  action.sa_handler = count_interrupt;
  sigaction(SIGINT, &action, &before);
}

Interrupts::~Interrupts() {
  if (sigint_ == Sigint::left_alone) return;
  sigaction(SIGINT, &before, nullptr);
  // What Python was told is over: it must not be raised in whatever the user does next.
  if (interrupts >= 2 && PyErr_CheckSignals() != 0) PyErr_Clear();
  interrupts = 0;
  taken = false;
}

int Interrupts::count() const {
  return sigint_ == Sigint::ours ? interrupts.load() : 0;
}

}  // namespace hunch::python
