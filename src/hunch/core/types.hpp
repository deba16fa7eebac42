// Types: the words every room shares: vectors, what was paid for, what is believed for free.
#pragma once

#include <Eigen/Dense>
#include <optional>
#include <stdexcept>
#include <string>

namespace hunch {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// What one evaluation of the likelihood returned: paid for, never thrown away.
// log_likelihood is finite or minus infinity (the model says: outside its support).
// The gradient is with respect to the argument that the evaluation was given.
struct Exact {
  double log_likelihood;
  std::optional<Vector> gradient;
};

enum class Want { value, value_and_gradient };

// What the surrogate believes, for free, about f = log-likelihood (and its gradient g) at two positions:
// a joint Gaussian of (f(x), f(y)), or of (f(x), g(x), f(y), g(y)).
// The mean is affine in the constant prior mean m: mean(m) = offset + m * slope (MATH: K^-1 y and K^-1 1).
struct PairBelief {
  Vector offset;
  Vector slope;
  Matrix covariance;
  double prior_mean;  // the surrogate's own m; it does not depend on the chain's state

  Vector mean(double m) const { return offset + m * slope; }
  Vector mean() const { return mean(prior_mean); }
  Index half() const { return offset.size() / 2; }
};

// Bad input, found at the door: what() says what was wrong, where, and what was expected.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace hunch
