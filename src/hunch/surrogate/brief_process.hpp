// BriefProcess: a Gaussian process on a hundred points or so, conditioned for a single question.
#pragma once

#include "hunch/core/types.hpp"
#include "hunch/surrogate/covariance.hpp"
#include "hunch/surrogate/gaussian_process.hpp"

namespace hunch {

// Believes what GaussianProcess::condition on the same points would, up to rounding, at a third of the cost:
// it cannot grow, and keeps no weights.
class BriefProcess {
 public:
  // Points are columns, all finite, under the admission rule in the order given. O(n^3).
  BriefProcess(const Covariance& covariance, const Matrix& points, const Vector& values, double prior_mean,
               const Conditioning& conditioning);

  // As those of GaussianProcess. O(n^2).
  GaussianProcess::Prediction predict(const Vector& z) const;
  PairBelief pair(const Vector& x, const Vector& y) const;

  // Its Cholesky pivots, infinite for a point that was not admitted.
  auto pivots() const { return factor_.diagonal().head(size_); }

 private:
  // What the points say of one position: L^-1 k_z, and the mean's offset and slope.
  struct View {
    Vector solved;
    double offset;
    double slope;
    double variance;
  };
  View view(const Vector& scaled_z) const;
  void fill_covariances(double relative_jitter);
  void factorise(double floor);

  // As in GaussianProcess: c = reference_, and halfway_ = L^-1 (y - c 1, 1). With v = L^-1 k_z the mean is
  // (v'h_1 + c v'h_2) + m (1 - v'h_2). All have rows up to whole registers, so that a position's view has the
  // same bits in either place of a pair; beyond size_ they are those of an identity, or zero.
  const Covariance& covariance_;
  double prior_mean_;
  Index size_;
  Matrix scaled_rows_;
  Matrix factor_;  // the lower triangle is L
  double reference_;
  Matrix halfway_;
};

}  // namespace hunch
