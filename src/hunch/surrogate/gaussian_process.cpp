#include "hunch/surrogate/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hunch {

namespace {

// Values are offered to the factor in blocks of this many, at the speed of matrix products.
constexpr Index candidate_block = 16;
// A block of positions reads the whole factor once, while its covariances stay in cache.
constexpr Index position_block = 256;

void check_sizes(const Data& data, Index d) {
  const Index n = data.values.size();
  const Index noises = data.noise_variances.size();
  if (data.points.cols() == n && (n == 0 || data.points.rows() == d) && data.sloped() <= n &&
      (data.sloped() == 0 || data.gradients.rows() == d) && (noises == 0 || noises == n))
    return;
  throw InputError("Gaussian process: expected points and gradients of dimension " + std::to_string(d) +
                   ", and one column for each of " + std::to_string(n) + " values");
}

// What a subtraction may have cost a covariance: variances below zero, correlations beyond one.
void make_consistent(Matrix& covariance, const Vector& prior_variances) {
  const Vector variances = covariance.diagonal().cwiseMax(0.0).cwiseMin(prior_variances);
  const Vector deviations = variances.cwiseSqrt();
  for (Index j = 0; j < covariance.cols(); ++j) {
    for (Index i = 0; i < covariance.rows(); ++i) {
      const double bound = deviations(i) * deviations(j);
      covariance(i, j) = i == j ? variances(i) : std::fmin(std::fmax(covariance(i, j), -bound), bound);
    }
  }
}

}  // namespace

GaussianProcess::GaussianProcess(Covariance covariance, Observes observes, double prior_mean,
                                 Conditioning conditioning)
    : covariance_(std::move(covariance)),
      observes_(observes),
      prior_mean_(prior_mean),
      conditioning_(conditioning),
      sites_(covariance_, Matrix(covariance_.lengthscales.size(), 0), 0),
      halfway_(0, 2) {
  validate(covariance_);
  if (!std::isfinite(prior_mean_)) throw InputError("Gaussian process: the prior mean is not finite");
}

GaussianProcess GaussianProcess::condition(Covariance covariance, const Data& data, double prior_mean,
                                           Conditioning conditioning) {
  const Index n = data.values.size();
  const Index m = data.sloped();
  GaussianProcess process(std::move(covariance), m > 0 ? Observes::values_and_gradients : Observes::values,
                          prior_mean, conditioning);
  check_sizes(data, process.dimension());
  process.factor_.reserve(n + m * process.dimension());
  for (Index i = 0; i < m; ++i) process.admit(data, i, 1);
  for (Index i = m; i < n; i += candidate_block) process.admit(data, i, std::min(candidate_block, n - i));
  process.extend_halfway();
  return process;
}

Admission GaussianProcess::append(const Vector& point, double value, const Vector& gradient) {
  const Data one{point, Vector::Constant(1, value),
                 observes_ == Observes::values ? Matrix(dimension(), 0) : Matrix(gradient)};
  check_sizes(one, dimension());
  if (admit(one, 0, 1) == 0) return Admission::refused;
  extend_halfway();
  return Admission::admitted;
}

// Points from `first` on, all with gradients or all without. Returns how many were admitted.
Index GaussianProcess::admit(const Data& data, Index first, Index count) {
  const bool sloped = first < data.sloped();
  const Index group = sloped ? 1 + dimension() : 1;
  std::vector<Index> usable;
  for (Index i = first; i < first + count; ++i) {
    if (!is_usable(data.points.col(i).cwiseQuotient(covariance_.lengthscales))) continue;
    if (!is_usable(data.values.segment(i, 1))) continue;
    if (sloped && !is_usable(data.gradients.col(i).cwiseProduct(covariance_.lengthscales))) continue;
    usable.push_back(i);
  }
  const Data chosen = subset(data, usable);
  const Sites candidates(covariance_, chosen.points, chosen.sloped());
  Matrix cross(whole_lanes(sites_.numbers()), candidates.numbers());
  CovarianceWorkspace workspace;
  for (Index i = 0; i < candidates.size(); ++i) {
    fill_cross_covariance(covariance_, sites_, candidates.points.col(i), cross.middleCols(i * group, group),
                          workspace);
  }
  Matrix among = covariance_matrix(covariance_, candidates);
  const Vector noise = conditioning_.relative_jitter * among.diagonal() + chosen.noise();
  among.diagonal() += noise;
  const auto rows = factor_.offer(std::move(cross), among, group, conditioning_.admission_floor);
  if (rows.empty()) return 0;

  const Vector numbers = chosen.numbers();
  if (size() == 0) reference_ = numbers[rows.front()];
  const auto kept = static_cast<Index>(rows.size());
  Index at = numbers_.size();
  Matrix points(dimension(), kept);
  numbers_.conservativeResize(factor_.size());
  noise_.conservativeResize(factor_.size());
  for (Index k = 0; k < kept; ++k, at += group) {
    const Index row = rows[static_cast<std::size_t>(k)];
    points.col(k) = candidates.points.col(row / group);
    numbers_.segment(at, group) = numbers.segment(row, group);
    noise_.segment(at, group) = noise.segment(row, group);
  }
  sites_.append(covariance_, points, sloped ? kept : 0);
  return kept;
}

void GaussianProcess::extend_halfway() {
  const Index before = halfway_.rows();
  halfway_.conservativeResize(factor_.size(), 2);
  const Index each = 1 + dimension();
  for (Index i = before; i < factor_.size(); ++i) {
    const bool is_value = i >= sites_.sloped * each || i % each == 0;
    halfway_.row(i) << numbers_[i] - (is_value ? reference_ : 0), is_value ? 1 : 0;
  }
  factor_.continue_solve_lower(halfway_, before);
}

void GaussianProcess::set_observations(const Vector& values, const Matrix& gradients) {
  const Data data{sites_.points, values, gradients};
  check_sizes(data, dimension());
  if (data.sloped() != sites_.sloped)
    throw InputError("Gaussian process: expected as many gradients as before");
  const Vector numbers = data.numbers();
  if (!is_usable(numbers)) throw InputError("Gaussian process: values or gradients are not finite");
  if (size() == 0) return;
  numbers_ = numbers;
  reference_ = values[0];
  halfway_.resize(0, 2);
  extend_halfway();
}

// Whether z is such that anything is known there; if not, zeros.
bool GaussianProcess::fill(const Vector& z, Eigen::Ref<Matrix> cross, CovarianceWorkspace& workspace) const {
  workspace.scaled = z.cwiseQuotient(covariance_.lengthscales);
  const bool usable = is_usable(workspace.scaled);
  if (usable)
    fill_cross_covariance(covariance_, sites_, z, cross, workspace);
  else
    cross.setZero();
  return usable;
}

// Of a number with this L^-1 k: offset and slope, given how it changes with a constant in f.
Eigen::Vector2d GaussianProcess::affine_mean(const Eigen::Ref<const Vector>& solved,
                                             double of_constant) const {
  const Index n = factor_.size();
  const double along = solved.head(n).dot(halfway_.col(1));
  const double offset = solved.head(n).dot(halfway_.col(0)) + reference_ * along;
  if (!std::isfinite(offset) || !std::isfinite(along)) return {0, of_constant};
  return {offset, of_constant - along};
}

GaussianProcess::Prediction GaussianProcess::predict(const Vector& z) const {
  Workspace workspace;
  const double variance = this->variance(z, workspace);
  return {affine_mean(workspace.cross.col(0), 1).dot(Eigen::Vector2d(1, prior_mean_)), variance};
}

double GaussianProcess::variance(const Vector& z, Workspace& workspace) const {
  if (z.size() != dimension()) throw InputError("Gaussian process: a position is of another dimension");
  workspace.cross.resize(whole_lanes(factor_.size()), 1);
  if (!fill(z, workspace.cross, workspace.covariance)) return covariance_.signal_variance;
  factor_.solve_lower(workspace.cross);
  const double prior = hunch::prior_variance(covariance_, z);
  return std::fmin(std::fmax(prior - workspace.cross.squaredNorm(), least_share() * prior), prior);
}

Vector GaussianProcess::variances(const Matrix& zs) const {
  Vector result(zs.cols());
  Vector priors(zs.cols());
  CovarianceWorkspace workspace;
  for (Index start = 0; start < zs.cols(); start += position_block) {
    const Index width = std::min(position_block, zs.cols() - start);
    Matrix cross(whole_lanes(factor_.size()), width);
    for (Index j = 0; j < width; ++j) {
      priors[start + j] = fill(zs.col(start + j), cross.col(j), workspace)
                              ? hunch::prior_variance(covariance_, zs.col(start + j))
                              : covariance_.signal_variance;
    }
    factor_.solve_lower(cross);
    result.segment(start, width) = priors.segment(start, width) - cross.colwise().squaredNorm().transpose();
  }
  return result.cwiseMax(least_share() * priors);
}

GaussianProcess::Joint GaussianProcess::joint(const Matrix& zs) const {
  Matrix cross(whole_lanes(factor_.size()), zs.cols());
  CovarianceWorkspace workspace;
  for (Index j = 0; j < zs.cols(); ++j) fill(zs.col(j), cross.col(j), workspace);
  factor_.solve_lower(cross);
  Joint joint{Vector(zs.cols()), covariance_matrix(covariance_, Sites(covariance_, zs, 0))};
  for (Index j = 0; j < zs.cols(); ++j)
    joint.means[j] = affine_mean(cross.col(j), 1).dot(Eigen::Vector2d(1, prior_mean_));
  joint.covariance.selfadjointView<Eigen::Lower>().rankUpdate(cross.transpose(), -1);
  joint.covariance.triangularView<Eigen::StrictlyUpper>() = joint.covariance.transpose();
  joint.covariance.diagonal() = joint.covariance.diagonal().cwiseMax(0.0);
  return joint;
}

PairBelief GaussianProcess::pair(const Vector& x, const Vector& y) const {
  const Index half = observes_ == Observes::values ? 1 : 1 + dimension();
  const Vector* ends[2] = {&x, &y};
  bool usable[2];
  Matrix cross(whole_lanes(factor_.size()), 2 * half);
  Matrix covariance = Matrix::Zero(2 * half, 2 * half);
  CovarianceWorkspace workspace;
  for (Index e = 0; e < 2; ++e) {
    if (ends[e]->size() != dimension())
      throw InputError("Gaussian process: a position is of another dimension");
    usable[e] = fill(*ends[e], cross.middleCols(e * half, half), workspace);
    const Vector here = usable[e] ? *ends[e] : Vector(Vector::Zero(dimension()));
    covariance.block(e * half, e * half, half, half) = covariance_between(covariance_, here, here, half);
  }
  if (usable[0] && usable[1]) {
    covariance.topRightCorner(half, half) = covariance_between(covariance_, x, y, half);
    covariance.bottomLeftCorner(half, half) = covariance.topRightCorner(half, half).transpose();
  }
  const Vector prior_variances = covariance.diagonal();
  factor_.solve_lower(cross);
  PairBelief belief{Vector(2 * half), Vector(2 * half), {}, prior_mean_};
  for (Index i = 0; i < 2 * half; ++i) {
    const Eigen::Vector2d mean = affine_mean(cross.col(i), i % half == 0 ? 1 : 0);
    belief.offset[i] = mean[0];
    belief.slope[i] = mean[1];
    for (Index j = 0; j <= i; ++j) {
      covariance(i, j) -= cross.col(i).dot(cross.col(j));
      covariance(j, i) = covariance(i, j);
    }
  }
  make_consistent(covariance, prior_variances);
  belief.covariance = std::move(covariance);
  return belief;
}

MeanFunction GaussianProcess::mean_function() const {
  Vector weights = halfway_.col(0) + (reference_ - prior_mean_) * halfway_.col(1);
  factor_.solve_upper(weights);
  // One step of refinement: what the function misses of the numbers.
  const MeanFunction first(covariance_, sites_, weights, prior_mean_);
  Workspace workspace;
  Vector gradient;
  Vector missed = numbers_ - noise_.cwiseProduct(weights);
  for (Index i = 0; i < sites_.sloped; ++i) {
    missed[sites_.row(i)] -= first.value_and_gradient(sites_.points.col(i), gradient, workspace);
    missed.segment(sites_.row(i) + 1, dimension()) -= gradient;
  }
  const Index others = size() - sites_.sloped;
  missed.tail(others) -= first.values(sites_.points.rightCols(others));
  factor_.solve_lower(missed);
  factor_.solve_upper(missed);
  return MeanFunction(covariance_, sites_, weights + missed, prior_mean_);
}

}  // namespace hunch
