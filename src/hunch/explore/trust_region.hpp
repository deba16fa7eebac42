// TrustRegion: where a climb believes its model: around the best evaluation, as far as the log posterior
// falls by a multiple of the best few evaluations' depth.
#pragma once

#include <vector>

#include "hunch/explore/local_model.hpp"

namespace hunch {

class TrustRegion {
 public:
  // A ball of radius 1 in prior sds. `depths` are those of all evaluations.
  TrustRegion(Vector origin, const std::vector<double>& depths);

  const SearchRegion& region() const { return region_; }
  double drop() const { return drop_; }  // nats, from the origin to the boundary
  Vector to_y(const Vector& z) const { return region_.metric.partialPivLu().solve(z - region_.origin); }
  Vector to_z(const Vector& y) const { return region_.origin + region_.metric * y; }

  // What came of the last batch: whether it gained, how far the best evaluation now is from the origin (in
  // y), and the size of the batch.
  void record(bool gained, double distance, Index evaluations, const std::vector<double>& depths);
  // The model promises its maximum well within the region. False if it is as small as regions get.
  bool shrink(const std::vector<double>& depths);
  // Axes along those of the model's quadratic part, as long as it takes to fall by the drop from `origin`.
  void reshape(const Vector& origin, const LocalModel& model);
  // The ellipsoid that holds the bulk of a normal with this root of its covariance, `drop` nats deep.
  void set(Vector origin, const Matrix& root, double drop);

 private:
  void measure(const std::vector<double>& depths);

  SearchRegion region_;
  double drop_;
  double size_ = 1;         // the drop as a multiple of the best few evaluations' depth
  Index without_gain_ = 0;  // evaluations
};

}  // namespace hunch
