// RungeKutta: the classical fourth-order method with a fixed step.
#pragma once

#include <Eigen/Dense>

namespace hunch {

template <int states>
using State = Eigen::Array<double, states, 1>;

// The state after `steps` steps of size `step` under y' = derivative(y).
template <int states, typename Derivative>
State<states> advance(State<states> y, double step, int steps, const Derivative& derivative) {
  using Y = State<states>;
  for (int i = 0; i < steps; ++i) {
    const Y k1 = derivative(y);
    const Y k2 = derivative(Y(y + 0.5 * step * k1));
    const Y k3 = derivative(Y(y + 0.5 * step * k2));
    const Y k4 = derivative(Y(y + step * k3));
    y += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return y;
}

}  // namespace hunch
