#include <algorithm>
#include <cmath>
#include <numeric>

#include "hunch/core/numeric.hpp"
#include "hunch/run/explore.hpp"

namespace hunch {

namespace {

constexpr double first_radius = 1.5;
constexpr double curiosity = 0.3;     // deviations added to the mean when looking for the best point
constexpr double wariness = 1;        // taken off instead where slopes are known: a way up is in sight then
constexpr double worthwhile = 1.5;    // nats; promises below this end the climb, if they persist
constexpr double settled_reach = 30;  // nats; and enough points are within this of the top

double height(const Lesson& lesson) {
  return lesson.log_likelihood + lesson.log_prior;
}

const Lesson& highest(const std::vector<Lesson>& lessons) {
  return *std::max_element(lessons.begin(), lessons.end(),
                           [](const Lesson& a, const Lesson& b) { return height(a) < height(b); });
}

// The evaluations near a point: all within 2.5 radii, at least enough for a slope in each direction, at most
// twice as many as a full quadratic has coefficients.
std::vector<Lesson> nearest(const std::vector<Lesson>& lessons, const Vector& centre, const Frame& frame,
                            double radius) {
  const auto distance = [&](const Lesson& l) { return (frame.inverse * (l.position - centre)).norm(); };
  std::vector<Lesson> sorted;
  for (const Lesson& lesson : lessons)
    if (std::isfinite(height(lesson))) sorted.push_back(lesson);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Lesson& a, const Lesson& b) { return distance(a) < distance(b); });
  const std::size_t d = static_cast<std::size_t>(centre.size());
  const std::size_t least = 2 * d + 3;
  const std::size_t most = (d + 1) * (d + 2);
  std::size_t n = 0;
  while (n < sorted.size() && n < most && (n < least || distance(sorted[n]) <= 2.5 * radius)) ++n;
  sorted.resize(n);
  return sorted;
}

struct Promise {
  Vector position;
  double height;  // predicted log posterior
};

// The most promising point within `radius` of `centre`: scattered trials, then ever smaller ones around the
// best.
Promise most_promising(const Parameters& parameters, const Landscape& local, const Frame& frame,
                       const Vector& centre, double radius, Rng& rng) {
  const Index d = centre.size();
  const double of_deviations = local.best().gradient ? -wariness : curiosity;
  const auto within = [&](Vector z) {
    const double length = z.norm();
    return length > radius ? Vector(z * (radius / length)) : z;
  };
  Vector best = Vector::Zero(d);  // in units of the frame, from the centre
  double best_score = -infinity;
  double best_height = -infinity;
  const auto consider = [&](const Matrix& zs) {
    const Matrix xs = (frame.factor * zs).colwise() + centre;
    const Vector means = local.values(xs);
    const Vector deviations = local.deviations(xs);
    for (Index i = 0; i < xs.cols(); ++i) {
      const double predicted = means[i] + parameters.log_prior(xs.col(i));
      const double score = predicted + of_deviations * deviations[i];
      if (!(score > best_score)) continue;
      best_score = score;
      best_height = predicted;
      best = zs.col(i);
    }
  };
  Matrix zs(d, 40 + 20 * d);
  for (Index i = 0; i < zs.cols(); ++i) {
    const Vector direction = rng.normal(d);
    zs.col(i) = direction / direction.norm() * radius *
                std::pow(rng.uniform(), 1 / std::min(4.0, static_cast<double>(d)));
  }
  consider(zs);
  double scale = 0.5 * radius / std::sqrt(static_cast<double>(d));
  zs.resize(d, 20 + 4 * d);
  for (int shrink = 0; shrink < 30; ++shrink, scale *= 0.85) {
    const Vector from = best;
    for (Index i = 0; i < zs.cols(); ++i) zs.col(i) = within(from + scale * rng.normal(d));
    consider(zs);
  }
  return {centre + frame.factor * best, best_height};
}

// The posterior's covariance by the local surrogate's curvature at a point, kept within what the frame
// allows.
Frame curvature_frame(const Parameters& parameters, const Landscape& local, const Frame& frame,
                      const Vector& top, double radius) {
  const Index d = top.size();
  TrendProcess::Workspace workspace;
  const auto slope = [&](const Vector& z) {
    const Vector x = top + frame.factor * z;
    Vector gradient;
    local.value_and_gradient(x, gradient, workspace);
    return Vector(frame.factor.transpose() * (gradient + parameters.log_prior_gradient(x)));
  };
  const double h = 0.05 * radius;
  Matrix hessian(d, d);
  for (Index j = 0; j < d; ++j)
    hessian.col(j) = (slope(h * Vector::Unit(d, j)) - slope(-h * Vector::Unit(d, j))) / (2 * h);
  hessian = Matrix(0.5 * (hessian + hessian.transpose()));
  if (!hessian.allFinite()) hessian = -Matrix::Identity(d, d);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(hessian);
  const Vector variances = (-eigen.eigenvalues()).cwiseMax(0.25).cwiseMin(1e10).cwiseInverse();
  const Matrix root = frame.factor * eigen.eigenvectors();
  return Frame::of(top, root * variances.asDiagonal() * root.transpose());
}

}  // namespace

Frame climb(const Parameters& parameters, const Frame& frame, std::vector<Lesson>& lessons, const Pay& pay,
            std::uint64_t seed, LandscapeOptions options) {
  options.guarded = false;  // the region is guard enough
  const Index d = frame.centre.size();
  double radius = first_radius;
  int failures = 0;
  int content = 0;
  const Index most_steps = 40 + 15 * d;
  for (Index step = 1;; ++step) {
    const Lesson top = highest(lessons);
    // As the region shrinks, so does the unit that lengthscales are measured in.
    const Matrix scaled = frame.factor * (radius / first_radius);
    Landscape local(Frame{top.position, scaled, frame.inverse * (first_radius / radius)}, options);
    local.add(nearest(lessons, top.position, frame, radius));
    local.refit(15);
    Rng rng({seed, 0, static_cast<std::uint64_t>(lessons.size()), Purpose::pilot});
    const Promise promise = most_promising(parameters, local, frame, top.position, radius, rng);
    const double promised = promise.height - height(top);
    const Lesson paid = pay({promise.position}).front();
    lessons.push_back(paid);
    const double gain = height(paid) - height(top);
    const double moved = (frame.inverse * (promise.position - top.position)).norm();
    // A top whose slope is known needs no other points to be one, and a promise that follows slopes and still
    // fails was made for too large a region.
    const bool sloped = top.gradient.has_value();
    if (promised < worthwhile && (sloped || local.reach() <= settled_reach + static_cast<double>(d))) {
      radius *= 2.5;
      if (++content >= (sloped ? 1 : 3) || radius > first_radius * std::sqrt(static_cast<double>(d)))
        return curvature_frame(parameters, local, frame, highest(lessons).position, radius);
      continue;
    }
    content = 0;
    if (step >= most_steps)
      return curvature_frame(parameters, local, frame, highest(lessons).position, radius);
    if (gain > 0.1 * promised) {
      failures = 0;
      if (gain > 0.5 * promised && moved > 0.7 * radius) radius *= 2;
    } else if (++failures == (sloped ? 1 : 2)) {
      failures = 0;
      radius /= 2;
    }
  }
}

}  // namespace hunch
