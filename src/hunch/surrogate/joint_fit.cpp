#include "hunch/surrogate/joint_fit.hpp"

#include <algorithm>

#include "hunch/surrogate/hyperparameter_search.hpp"

namespace hunch {

namespace {

// Over typical lengthscales. Fewer than for values alone: a likelihood costs (d + 1)^3 times as much.
const std::vector<double> starts{1.0 / 6, 1};

void check_sizes(const JointData& data) {
  const Index n = data.values.size();
  const Index d = data.points.rows();
  if (data.points.cols() == n && data.gradients.rows() == d && data.gradients.cols() == n) return;
  throw InputError("joint fit: points and gradients must be of one size, with one column for each of the " +
                   std::to_string(n) + " values");
}

// In the order of `data`: at most `most` points, finite in every part.
std::vector<Index> chosen(const JointData& data, Index most) {
  Matrix columns(2 * data.points.rows(), data.points.cols());
  columns << data.points, data.gradients;
  return highest_finite(data.values, columns, most);
}

JointData subset(const JointData& data, const std::vector<Index>& indices) {
  return {data.points(Eigen::all, indices), data.values(indices), data.gradients(Eigen::all, indices)};
}

bool is_informative(const JointData& data) {
  return data.values.size() > 1 && (vary(data.values) || data.gradients.cwiseAbs().maxCoeff() > 0);
}

}  // namespace

FitResult fit_joint(const JointData& data, CovarianceFamily family, const FitOptions& options,
                    const std::optional<Covariance>& previous) {
  check_sizes(data);
  const auto likelihood_of = [&](const JointData& sample) -> LikelihoodOfLengthscales {
    return [&options, family, sample](const Vector& lengthscales) {
      return joint_likelihood(family, lengthscales, sample, options.relative_jitter);
    };
  };
  const Index block = data.points.rows() + 1;
  const Index most = std::max<Index>(2, std::min(options.most_points, most_joint_observations / block));
  const auto indices = chosen(data, most);
  const JointData sample = subset(data, indices);
  Evidence evidence{sample.points, sample.values, likelihood_of(sample), starts, {}};
  if (!is_informative(sample)) return defaulted(evidence, family, options, previous);
  if (sample.values.size() * block > cheap_observations) {
    evidence.part = likelihood_of(subset(data, every_other(indices)));
  }
  return search(evidence, family, options, previous);
}

}  // namespace hunch
