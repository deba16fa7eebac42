#include "hunch/problems/hard_densities.hpp"

#include <cmath>

#include "hunch/problems/answer_with.hpp"

namespace hunch {

Exact cliff_log_density(const Vector& theta, Want want) {
  const double drop = theta[0] > cliff_edge ? cliff_height : 0;
  return answer_with(-0.5 * theta.squaredNorm() - drop, want, [&] { return -theta; });
}

Exact rough_log_density(const Vector& theta, Want want) {
  const Eigen::Vector2d frequency(40, 47);
  const Eigen::Vector2d phase(0, 1);
  const Eigen::Array2d angle = frequency.array() * theta.array() + phase.array();
  return answer_with(angle.cos().sum() - 0.5 * theta.squaredNorm(), want,
                     [&] { return -theta.array() - frequency.array() * angle.sin(); });
}

Exact funnel_log_density(const Vector& theta, Want want) {
  const double v = theta[0];
  const auto x = theta.tail(funnel_dimension - 1);
  const auto count = static_cast<double>(x.size());
  const double precision = std::exp(-v);
  const double squares = precision * x.squaredNorm();
  return answer_with(-0.5 * squares - 0.5 * count * (v + log_two_pi), want, [&] {
    Vector gradient(funnel_dimension);
    gradient << 0.5 * (squares - count), -precision * x;
    return gradient;
  });
}

Exact rosenbrock_log_density(const Vector& theta, Want want) {
  const Index pairs = rosenbrock_dimension / 2;
  const Eigen::Map<const Eigen::Array2Xd> pair(theta.data(), 2, pairs);
  const Eigen::ArrayXd x = pair.row(0);
  const Eigen::ArrayXd across = pair.row(1).transpose() - x.square();
  const double value = -(5 * across.square() + 0.05 * (1 - x).square()).sum();
  return answer_with(value, want, [&] {
    Vector gradient(rosenbrock_dimension);
    Eigen::Map<Eigen::Array2Xd> slope(gradient.data(), 2, pairs);
    slope.row(0) = 20 * across * x + 0.1 * (1 - x);
    slope.row(1) = -10 * across;
    return gradient;
  });
}

}  // namespace hunch
