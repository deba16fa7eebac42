#include "hunch/problems/shape_problems.hpp"

#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

constexpr double wide = 10;  // sd of the normal priors, where nothing else is said

std::string numbered(const std::string& name, Index dimension) {
  return name + "-" + std::to_string(dimension);
}

std::vector<Prior> alike(Index count, const Prior& prior) {
  return std::vector<Prior>(static_cast<std::size_t>(count), prior);
}

FixedPriorProblem with_wide_priors(std::string name, Vector middle, LogFunction log_likelihood) {
  const Index d = middle.size();
  return {std::move(name), alike(d, {Normal{0, wide}}), std::move(log_likelihood), std::move(middle)};
}

// log sum_k weight_k N(theta; centre_k, 1), up to a constant; centres are columns.
LogFunction unit_mixture(Matrix centres, Vector weights) {
  return [centres = std::move(centres), log_weights = Vector(weights.array().log())](const Vector& theta) {
    const Eigen::ArrayXd parts =
        log_weights.array() - 0.5 * (centres.colwise() - theta).colwise().squaredNorm().transpose().array();
    const double top = parts.maxCoeff();
    return top > -infinity ? top + std::log((parts - top).exp().sum()) : -infinity;
  };
}

// Twelve normals of equal weight whose centres look random, with the given root mean square.
FixedPriorProblem mixture_of_twelve(Index d, double spread) {
  Matrix centres(d, 12);
  for (Index k = 0; k < 12; ++k)
    for (Index j = 0; j < d; ++j) {
      const auto a = static_cast<double>(k), b = static_cast<double>(j);
      centres(j, k) = spread * std::sqrt(2.0) * std::sin(1.7 * (a + 1) * (b + 1) + a * a);
    }
  const Vector middle = centres.col(0);
  return with_wide_priors(numbered("mixture-of-12", d), middle,
                          unit_mixture(std::move(centres), Vector::Constant(12, 1.0 / 12)));
}

// The smaller mode has 15 % of the mass and is 4.5 sds away.
FixedPriorProblem two_modes(Index d) {
  const double apart = 4.5 / std::sqrt(static_cast<double>(d));
  Matrix centres = Matrix::Constant(d, 2, 1.0);
  centres.col(1).array() += apart;
  return with_wide_priors(numbered("two-modes", d), centres.col(0),
                          unit_mixture(centres, Vector{{0.85, 0.15}}));
}

FixedPriorProblem student(Index d) {
  static constexpr double dof = 5;
  return {numbered("student-t", d), alike(d, {Normal{0, 100}}),
          [](const Vector& theta) {
            return -0.5 * (dof + 1) * ((theta.array() - 1).square() / dof).log1p().sum();
          },
          Vector::Ones(d)};
}

LogFunction normal_about(Vector mean, Matrix precision) {
  return [mean = std::move(mean), precision = std::move(precision)](const Vector& theta) {
    const Vector away = theta - mean;
    return -0.5 * away.dot(precision * away);
  };
}

// sd 1 along the diagonal and 0.01 across.
FixedPriorProblem cigar() {
  constexpr Index d = 6;
  const Matrix along = Matrix::Constant(d, d, 1.0 / d);
  const Matrix precision = along + 1e4 * (Matrix::Identity(d, d) - along);
  return with_wide_priors("cigar-6", Vector::Ones(d), normal_about(Vector::Ones(d), precision));
}

// Variances from 1 to 1e-8 along the cosine basis.
FixedPriorProblem ridge() {
  constexpr Index d = 10;
  Matrix basis(d, d);
  Vector precisions(d), mean(d);
  for (Index k = 0; k < d; ++k) {
    for (Index i = 0; i < d; ++i)
      basis(i, k) = std::cos(M_PI * (static_cast<double>(i) + 0.5) * static_cast<double>(k) / d);
    basis.col(k).normalize();
    precisions[k] = std::pow(10, 8 * static_cast<double>(k) / (d - 1));
    mean[k] = std::sin(static_cast<double>(k) + 1);
  }
  // Evaluated along the basis: the matrix of precisions would lose eight digits.
  return with_wide_priors("ridge-10", mean, [=](const Vector& theta) {
    return -0.5 * (precisions.array() * (basis.transpose() * (theta - mean)).array().square()).sum();
  });
}

// Priors 1e5 times wider than the posterior; correlations of 0.5.
FixedPriorProblem wide_prior() {
  constexpr Index d = 5;
  const Matrix covariance = Matrix::Constant(d, d, 0.5) + 0.5 * Matrix::Identity(d, d);
  const Vector mean = 1e5 * Vector{{0.3, -0.2, 0.1, -0.4, 0.2}};
  return {"wide-prior-5", alike(d, {Normal{0, 1e5}}), normal_about(mean, covariance.inverse()), mean};
}

// Pairs (x, y) with x ~ N(0, 1) and y ~ N(x^2, 0.3^2).
FixedPriorProblem bananas(Index d) {
  return with_wide_priors(numbered("banana", d), Vector::Zero(d), [](const Vector& theta) {
    double value = 0;
    for (Index i = 0; i < theta.size(); i += 2) {
      const double x = theta[i], across = (theta[i + 1] - x * x) / 0.3;
      value -= 0.5 * (x * x + across * across);
    }
    return value;
  });
}

// Positive parameters whose density is highest at zero, with sds 1, 2, ...
FixedPriorProblem half_normals(Index d) {
  const Vector scales = Vector::LinSpaced(d, 1, static_cast<double>(d));
  return {numbered("half-normal", d), alike(d, {HalfNormal{wide}}),
          [scales](const Vector& theta) { return -0.5 * (theta.array() / scales.array()).square().sum(); },
          0.7 * scales};
}

FixedPriorProblem shell() {
  return with_wide_priors("shell-3", Vector{{4, 0, 0}}, [](const Vector& theta) {
    const double off = (theta.norm() - 4) / 0.4;
    return -0.5 * off * off;
  });
}

// The first parameter is the log variance of the others.
FixedPriorProblem funnel(Index d) {
  std::vector<Prior> priors = alike(d, {Normal{0, 100}});
  priors.front() = {Normal{0, 3}};
  return {numbered("funnel", d), std::move(priors),
          [](const Vector& theta) {
            const Vector x = theta.tail(theta.size() - 1);
            return -0.5 * (std::exp(-theta[0]) * x.squaredNorm() + static_cast<double>(x.size()) * theta[0]);
          },
          Vector::Zero(d)};
}

// Three nats lower in half of the bulk.
FixedPriorProblem cliff() {
  return with_wide_priors("cliff-3", Vector{{-0.5, 0, 0}}, [](const Vector& theta) {
    return -0.5 * theta.squaredNorm() - (theta[0] > 0 ? 3 : 0);
  });
}

// Impossible in half of the prior, and the bulk lies at the edge.
FixedPriorProblem half_impossible() {
  return with_wide_priors("half-impossible-3", Vector{{1, 1, 1}}, [](const Vector& theta) {
    if (!(theta[0] > 0)) return -infinity;
    const Vector away = theta - Vector{{0.5, 1, 1}};
    return -0.5 * away.squaredNorm();
  });
}

}  // namespace

std::vector<FixedPriorProblem> shape_problems() {
  return {mixture_of_twelve(4, 2),
          mixture_of_twelve(10, 1),
          student(4),
          student(8),
          cigar(),
          wide_prior(),
          bananas(2),
          bananas(6),
          bananas(10),
          half_normals(2),
          half_normals(6),
          shell(),
          funnel(2),
          funnel(10),
          two_modes(2),
          two_modes(5),
          ridge(),
          cliff(),
          half_impossible()};
}

}  // namespace hunch
