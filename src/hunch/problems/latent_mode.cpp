#include "hunch/problems/latent_mode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

constexpr int most_steps = 500;
constexpr int most_halvings = 40;
constexpr double tight = 1e-11;       // the last step in f, at most
constexpr double still_useful = 0.3;  // a factor is kept while it shrinks the steps by this ratio or more

// Everything about the likelihood at f, with u = e^-|m|, m = label f: one exponential per point.
class Pointwise {
 public:
  explicit Pointwise(const Vector& labels) : labels_(labels), u_(labels.size()) {}

  double log_likelihood(const Vector& f) {
    u_ = (-f.array().abs()).exp();
    double logs = 0;
    for (Index begin = 0; begin < f.size(); begin += 512) {  // a product of 512 such factors is at most 2^512
      logs += std::log((1 + u_.segment(begin, std::min<Index>(512, f.size() - begin))).prod());
    }
    return (labels_.array() * f.array()).min(0.0).sum() - logs;
  }

  // The two below belong to the f of the last call above.
  void gradient(const Vector& f, Vector& out) const {
    // label * P(the other label)
    out = labels_.array() * (labels_.array() * f.array() > 0).select(u_, 1.0) / (1 + u_);
  }
  void root_curvature(Vector& out) const { out = u_.sqrt() / (1 + u_); }

 private:
  const Vector& labels_;
  Eigen::ArrayXd u_;
};

class NewtonSearch {
 public:
  NewtonSearch(const Matrix& covariance, const Vector& labels)
      : covariance_(covariance),
        pointwise_(labels),
        mode_{Vector::Zero(labels.size()), Vector::Zero(labels.size()), 0, Vector(labels.size()),
              Matrix(labels.size(), labels.size())},
        gradient_(labels.size()) {
    mode_.log_likelihood = pointwise_.log_likelihood(mode_.f);
  }

  std::optional<LatentMode> run() {
    if (!factor()) return std::nullopt;
    bool fresh = true;  // the factor belongs to this f
    double last_size = infinity;
    for (int k = 0; k < most_steps; ++k) {
      double size = solve();
      if (!fresh && size > still_useful * last_size && size > tolerance()) {
        if (!factor()) return std::nullopt;
        fresh = true;
        size = solve();
      }
      if (!f_step_.allFinite()) return std::nullopt;
      move(fresh ? Guard::ascend : Guard::none);
      // Steps with one factor shrink by a constant ratio, so the next one is known before it is made.
      const double next_size = fresh ? size : std::min(size, size * size / last_size);
      if (next_size <= tolerance()) break;
      last_size = size;
      fresh = false;
    }
    if (!factor()) return std::nullopt;
    return std::move(mode_);
  }

 private:
  enum class Guard { none, ascend };

  auto covariance() const { return covariance_.selfadjointView<Eigen::Lower>(); }

  // Rounding in K weights sets a floor under the step sizes.
  double tolerance() const {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    return std::max(tight, 8 * epsilon * covariance_(0, 0) * mode_.weights.lpNorm<1>());
  }

  bool factor() {
    Matrix& b = mode_.factor;
    Vector& w = mode_.root_curvature;
    pointwise_.root_curvature(w);
    const Index n = w.size();
    for (Index j = 0; j < n; ++j) {
      b.col(j).tail(n - j) = w[j] * covariance_.col(j).tail(n - j).cwiseProduct(w.tail(n - j));
      b(j, j) += 1;
    }
    return Eigen::LLT<Eigen::Ref<Matrix>>(b).info() == Eigen::Success;
  }

  // (I + W K) step = gradient - weights, with the W of the last factor. Returns the largest change in f.
  double solve() {
    pointwise_.gradient(mode_.f, gradient_);
    step_ = gradient_ - mode_.weights;
    solution_.noalias() = covariance() * step_;
    solution_.array() *= mode_.root_curvature.array();
    mode_.factor.triangularView<Eigen::Lower>().solveInPlace(solution_);
    mode_.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(solution_);
    step_ -= mode_.root_curvature.cwiseProduct(solution_);
    f_step_.noalias() = covariance() * step_;
    return f_step_.lpNorm<Eigen::Infinity>();
  }

  double objective() const { return mode_.log_likelihood - 0.5 * mode_.weights.dot(mode_.f); }

  void move(Guard guard) {
    const double before = objective();
    const double slack = 1e-12 * (1 + std::abs(before));
    double scale = 1;
    mode_.weights += step_;
    mode_.f += f_step_;
    mode_.log_likelihood = pointwise_.log_likelihood(mode_.f);
    for (int k = 0; guard == Guard::ascend && k < most_halvings && !(objective() >= before - slack); ++k) {
      scale *= 0.5;
      mode_.weights -= scale * step_;
      mode_.f -= scale * f_step_;
      mode_.log_likelihood = pointwise_.log_likelihood(mode_.f);
    }
  }

  const Matrix& covariance_;
  Pointwise pointwise_;
  LatentMode mode_;
  Vector gradient_, step_, f_step_, solution_;
};

}  // namespace

std::optional<LatentMode> find_latent_mode(const Matrix& covariance, const Vector& labels) {
  return NewtonSearch(covariance, labels).run();
}

}  // namespace hunch
