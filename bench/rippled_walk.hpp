// RippledWalk: a density with ripples, and what a chain on it pays for: the data of the benchmarks of large
// n.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "hunch/sampler/proposal.hpp"
#include "hunch/surrogate/data.hpp"
#include "hunch/surrogate/lesson.hpp"

namespace hunch::rippled {

// A normal with ripples; the prior is flat.
inline double log_density(const Vector& z) {
  double sum = -0.5 * z.squaredNorm();
  for (Index j = 0; j + 1 < z.size(); ++j) sum += 0.3 * std::sin(2 * z[j]) * z[j + 1];
  return sum;
}

inline Vector slope(const Vector& z) {
  Vector gradient = -z;
  for (Index j = 0; j + 1 < z.size(); ++j) {
    gradient[j] += 0.6 * std::cos(2 * z[j]) * z[j + 1];
    gradient[j + 1] += 0.3 * std::sin(2 * z[j]);
  }
  return gradient;
}

inline PriorAt flat(const Vector& z) {
  return {0, Vector::Zero(z.size())};
}

inline State state_at(const Vector& z) {
  return {z, flat(z), {log_density(z), slope(z)}};
}

struct Case {
  Observes observes;
  Index dimension;
  Index n;
  std::uint64_t seed;

  bool gradients() const { return observes == Observes::values_and_gradients; }
  Proposal proposal() const {
    const auto d = static_cast<double>(dimension);
    if (gradients()) return Langevin{0.6 / std::cbrt(d), Vector::Ones(dimension)};
    return RandomWalk{Vector::Constant(dimension, 1.7 / std::sqrt(d))};
  }
};

// What a chain pays for on its way: every proposal of plain Metropolis-Hastings but the hopeless ones.
struct Walk {
  std::vector<Lesson> lessons;
  State end;
};

inline Walk walk_of(const Case& one) {
  Walk walk{{}, state_at(Vector::Zero(one.dimension))};
  const Proposal proposal = one.proposal();
  for (std::uint64_t i = 0; static_cast<Index>(walk.lessons.size()) < one.n; ++i) {
    Rng rng({one.seed, 0, i, Purpose::pilot});
    const State next = state_at(propose(proposal, walk.end, rng));
    const double log_ratio = next.exact.log_likelihood - walk.end.exact.log_likelihood +
                             log_proposal(proposal, next, walk.end.position) -
                             log_proposal(proposal, walk.end, next.position);
    if (log_ratio > -6)
      walk.lessons.push_back({next.position, next.exact.log_likelihood, next.exact.gradient, 0});
    if (std::log(rng.uniform()) < log_ratio) walk.end = next;
  }
  return walk;
}

inline Data data_of(const std::vector<Lesson>& lessons, const Case& one) {
  const auto n = static_cast<Index>(lessons.size());
  Data data{Matrix(one.dimension, n), Vector(n), Matrix(one.dimension, one.gradients() ? n : 0)};
  for (Index i = 0; i < n; ++i) {
    const Lesson& lesson = lessons[static_cast<std::size_t>(i)];
    data.points.col(i) = lesson.position;
    data.values[i] = lesson.log_likelihood;
    if (one.gradients()) data.gradients.col(i) = *lesson.gradient;
  }
  return data;
}

}  // namespace hunch::rippled
