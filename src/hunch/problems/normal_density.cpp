#include "hunch/problems/normal_density.hpp"

#include <cmath>
#include <numbers>

#include "hunch/problems/answer_with.hpp"

namespace hunch {
namespace {

constexpr Index ar1_dimension = 10;
constexpr double ar1_correlation = 0.9;
constexpr Index rotated_dimension = 20;

NormalDensity centred_at(Vector mean, const Matrix& precision) {
  const double half_log_determinant = precision.llt().matrixLLT().diagonal().array().log().sum();
  const double log_constant = half_log_determinant - 0.5 * static_cast<double>(mean.size()) * log_two_pi;
  return {std::move(mean), precision, log_constant};
}

// Its columns are orthonormal, and no coordinate axis is among them.
Matrix cosine_basis(Index n) {
  const auto size = static_cast<double>(n);
  Matrix basis(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      const double angle = std::numbers::pi * (static_cast<double>(i) + 0.5) * static_cast<double>(j) / size;
      basis(i, j) = std::sqrt((j == 0 ? 1 : 2) / size) * std::cos(angle);
    }
  }
  return basis;
}

}  // namespace

NormalDensity ar1_density() {
  const Index n = ar1_dimension;
  const double rest = 1 - ar1_correlation * ar1_correlation;
  Matrix precision = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    const bool at_an_end = i == 0 || i == n - 1;
    precision(i, i) = (at_an_end ? 1 : 1 + ar1_correlation * ar1_correlation) / rest;
    if (i > 0) precision(i, i - 1) = precision(i - 1, i) = -ar1_correlation / rest;
  }
  return centred_at(Vector::LinSpaced(n, -1, 3.5), precision);
}

NormalDensity rotated_density() {
  const Index n = rotated_dimension;
  const Matrix basis = cosine_basis(n);
  Vector mean(n), precisions(n);
  for (Index i = 0; i < n; ++i) {
    const auto place = static_cast<double>(i);
    mean[i] = 3 * std::sin(place + 1);
    precisions[i] = std::pow(10.0, 1 - 2 * place / static_cast<double>(n - 1));
  }
  return centred_at(mean, basis * precisions.asDiagonal() * basis.transpose());
}

Exact normal_log_density(const NormalDensity& density, const Vector& theta, Want want) {
  const Vector offset = theta - density.mean;
  const Vector pull = density.precision * offset;
  return answer_with(density.log_constant - 0.5 * offset.dot(pull), want, [&] { return -pull; });
}

}  // namespace hunch
