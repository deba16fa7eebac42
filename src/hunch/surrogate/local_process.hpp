// LocalProcess: what is believed about the log-likelihood, and its gradient, given what was observed nearby.
//
// The belief about (x, y) is that of the process conditioned on the union of x's nearest points and y's: a
// true joint Gaussian, and a function of the pair and the points alone. Its cost does not grow with their
// number, but for the search.
#pragma once

#include <vector>

#include "hunch/surrogate/gaussian_process.hpp"
#include "hunch/surrogate/neighbour_tree.hpp"

namespace hunch {

// From how many points on a process is local, and on how many, for each position, it then conditions.
struct LocalForm {
  Index from;
  Index neighbours;
};

// What docs/results/large-n.md measured; ADR 0010 weighs it. Neighbours: as many as keep an iteration at
// n = 10,000 within five times the cost of a dense one at n = 500, in up to ten dimensions. From: given the
// same points the dense form is the more accurate, which saves evaluations; up to 2000 values it costs less
// than a millisecond for each proposal. With 300 gradients in ten dimensions it costs eight.
LocalForm measured_local_form(Observes observes);

// A value: copy it to keep it, share it const between threads. It interpolates without noise. As long as no
// two points are equal, beliefs have the same bits whatever the order in which the points came.
class LocalProcess {
 public:
  // Nearness is by the covariance's lengthscales. Conditions on up to `neighbours` points (at least 1) for
  // each position. Throws InputError as GaussianProcess does.
  LocalProcess(Covariance covariance, Observes observes, double prior_mean, Index neighbours,
               Conditioning conditioning = {});

  // Takes what a dense process holds, in its order and without asking again whether each point is needed.
  void take(const Data& data);

  // Amortised O(d log n). The gradient is read if gradients are observed. Refused: not finite, or so close to
  // the nearest point that this leaves it no more variance than Conditioning asks for; then nothing changes.
  Admission append(const Vector& point, double value, const Vector& gradient = {});
  // New data at the same points, in their order: O(n).
  void set_observations(const Vector& values, const Matrix& gradients = {});

  Index size() const { return static_cast<Index>(values_.size()); }
  const Covariance& covariance() const { return prior_.covariance(); }

  // As those of GaussianProcess.
  GaussianProcess::Prediction predict(const Vector& z) const;
  PairBelief pair(const Vector& x, const Vector& y) const;
  // The points that pair(x, y) is conditioned on, by number, nearest first: at most two times `neighbours`.
  std::vector<Index> conditioned_on(const Vector& x, const Vector& y) const;

 private:
  bool with_gradients() const { return observes_ == Observes::values_and_gradients; }
  void require(bool fits) const;
  Vector scaled(const Vector& z) const { return z.cwiseQuotient(covariance().lengthscales); }
  double variance_left_by_nearest(const Vector& point) const;
  void hold(const Vector& point, double value, const Vector& gradient);
  NeighbourTree::Search around(const Vector& z) const;
  GaussianProcess conditioned(const std::vector<Index>& numbers) const;

  GaussianProcess prior_;  // given no points at all
  Observes observes_;
  Index neighbours_;
  Conditioning conditioning_;
  NeighbourTree tree_;  // of the points divided by the lengthscales
  // By number in the tree; gradients_ is empty if only values are observed.
  std::vector<Vector> points_;
  std::vector<double> values_;
  std::vector<Vector> gradients_;
};

}  // namespace hunch
