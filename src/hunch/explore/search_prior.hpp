// SearchPrior: the prior as a climb sees it, in units of its own width: z = (position - centre) / width.
#pragma once

#include "hunch/explore/prior_points.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

class SearchPrior {
 public:
  // Both must outlive it.
  SearchPrior(const Parameters& parameters, const PriorBox& box);

  const PriorBox& box() const { return box_; }
  Vector position(const Vector& z) const { return box_.centre + box_.width.cwiseProduct(z); }
  Vector z(const Vector& position) const { return (position - box_.centre).cwiseQuotient(box_.width); }
  double log_density(const Vector& z) const { return parameters_.log_prior(position(z)); }
  Vector gradient(const Vector& z) const;
  Vector curvatures(const Vector& z) const;  // second derivatives; priors are independent
  Vector to_z_gradient(const Vector& position_gradient) const {
    return position_gradient.cwiseProduct(box_.width);
  }

  bool holds(const Vector& z) const {
    return (z.array() >= lowest_.array()).all() && (z.array() <= highest_.array()).all();
  }
  // `to`, or where the way there from `from` leaves the prior: to cut off coordinates would leave a ridge.
  Vector shortened(const Vector& from, const Vector& to) const;

 private:
  const Parameters& parameters_;
  const PriorBox& box_;
  Vector lowest_;  // of each proper prior, what is worth trying
  Vector highest_;
};

}  // namespace hunch
