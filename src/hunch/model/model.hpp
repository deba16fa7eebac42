// Model: the door to the expensive half of the posterior. Whatever it does becomes a defined outcome here.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

// What became of one evaluation. Only `value` and `zero` are answers; the rest are failures.
enum class OutcomeKind {
  value,     // a finite log-likelihood (and a finite gradient, if one was wanted)
  zero,      // minus infinity: the model says theta is outside its support
  nan,       // not a number, or plus infinity
  crash,     // the model threw or died
  timeout,   // no answer by the deadline
  protocol,  // the answer is malformed or has the wrong shape
  lost,      // the worker or its host is gone; nothing is known
};

struct Outcome {
  OutcomeKind kind;
  Exact exact;          // for value and zero; the gradient is with respect to theta
  std::string message;  // for failures: what happened, in words

  bool answered() const { return kind == OutcomeKind::value || kind == OutcomeKind::zero; }
};

struct Capabilities {
  bool gradient;
};

// How a model is to be asked.
enum class Asked {
  anywhere,  // one point at a time, by several threads at once
  here,      // one point at a time, by the thread that wants to know, as long as there is one worker
  together,  // by that thread, all points of a round in one call of evaluate_all
};

// The one virtual interface of Hunch, because the outside world is open.
class Model {
 public:
  virtual ~Model() = default;
  virtual Capabilities capabilities() const = 0;
  // Costs one evaluation. Called from several threads at once.
  virtual Outcome evaluate(const Vector& theta, Want want) = 0;
  virtual Asked asked() const { return Asked::anywhere; }
  // One evaluation for each theta, outcomes in the same order; what evaluate would say of each.
  virtual std::vector<Outcome> evaluate_all(const std::vector<Vector>& thetas, Want want);
  // For good: every evaluation under way or to come ends at once, as `lost`; processes and sockets with it.
  // From any thread. What runs inside this process, a function or a library, cannot be ended: it goes on as
  // if nothing was said.
  virtual void cancel() {}
};

// A function in this process. It must be pure and safe to call from several threads.
class FunctionModel final : public Model {
 public:
  using Function = std::function<Exact(const Vector& theta, Want want)>;

  FunctionModel(Function function, Capabilities capabilities);
  Capabilities capabilities() const override { return capabilities_; }
  Outcome evaluate(const Vector& theta, Want want) override;

 private:
  Function function_;
  Capabilities capabilities_;
};

}  // namespace hunch
