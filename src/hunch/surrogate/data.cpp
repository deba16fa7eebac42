#include "hunch/surrogate/data.hpp"

#include <algorithm>

namespace hunch {

Vector Data::numbers() const {
  const Index d = points.rows();
  const Index m = sloped();
  Vector all(values.size() + d * m);
  all.tail(values.size() - m) = values.tail(values.size() - m);
  all.head(m * (d + 1)).reshaped(d + 1, m) << values.head(m).transpose(), gradients;
  return all;
}

Vector Data::noise() const {
  const Index d = points.rows();
  const Index m = sloped();
  Vector all = Vector::Zero(values.size() + d * m);
  if (noise_variances.size() == 0) return all;
  all.tail(values.size() - m) = noise_variances.tail(values.size() - m);
  all.head(m * (d + 1)).reshaped(d + 1, m) << noise_variances.head(m).transpose(),
      Matrix::Constant(d, m, gradient_noise_variance);
  return all;
}

Data subset(const Data& data, const std::vector<Index>& indices) {
  const auto sloped =
      std::count_if(indices.begin(), indices.end(), [&](Index i) { return i < data.sloped(); });
  const std::vector<Index> first(indices.begin(), indices.begin() + sloped);
  Data chosen{data.points(Eigen::all, indices),
              data.values(indices),
              data.gradients(Eigen::all, first),
              {},
              data.gradient_noise_variance};
  if (data.noise_variances.size() > 0) chosen.noise_variances = data.noise_variances(indices);
  return chosen;
}

}  // namespace hunch
