// Sensitive: a number that carries its derivatives with respect to a few inputs along with it.
#pragma once

#include <Eigen/Dense>
#include <cmath>

namespace hunch {

template <int inputs>
struct Sensitive {
  using Slope = Eigen::Array<double, inputs, 1>;
  double value = 0;
  Slope slope = Slope::Zero();

  Sensitive() = default;
  explicit Sensitive(double constant) : value(constant) {}
  Sensitive(double v, const Slope& s) : value(v), slope(s) {}
  static Sensitive variable(double v, int input) {
    Sensitive x(v);
    x.slope[input] = 1;
    return x;
  }

  Sensitive& operator+=(const Sensitive& other) {
    value += other.value;
    slope += other.slope;
    return *this;
  }
  friend Sensitive operator+(Sensitive a, const Sensitive& b) { return a += b; }
  friend Sensitive operator-(const Sensitive& a, const Sensitive& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend Sensitive operator*(const Sensitive& a, const Sensitive& b) {
    return {a.value * b.value, a.value * b.slope + b.value * a.slope};
  }
  friend Sensitive operator*(double a, const Sensitive& b) { return {a * b.value, a * b.slope}; }
  friend Sensitive exp(const Sensitive& a) {
    const double e = std::exp(a.value);
    return {e, e * a.slope};
  }
};

inline double value_of(double x) {
  return x;
}
template <int inputs>
double value_of(const Sensitive<inputs>& x) {
  return x.value;
}

}  // namespace hunch
