#include "hunch/explore/tilted_quadratic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

constexpr std::array rates = {-2.0, -1.0, 1.0, 2.0};  // exp(-2 log sd), exp(-log variance) and their inverses
constexpr double largest_exponent = 300;
constexpr double good_enough = 0.5;  // of the relative error that points are given

}  // namespace

struct TiltedQuadratic::Data {
  Matrix z;  // one row for each point, from the origin
  Vector values;
  Vector errors;
};

// Least squares with leave-one-out residuals; false if there are too few points.
bool TiltedQuadratic::solve(const Data& data) {
  const Index n = data.z.rows();
  const Index d = data.z.cols();
  const Index plain = plain_ == Plain::noise_only ? 2 : 2 * d + 1;
  const Index p = plain + d * (d + 1) / 2;
  if (n < p + std::max<Index>(3, d / 2)) return false;
  Matrix design(n, p);
  design.col(0).setOnes();
  if (plain_ == Plain::noise_only) {
    design.col(1) = data.z.col(axis_);
  } else {
    design.middleCols(1, d) = data.z;
    design.middleCols(1 + d, d) = 0.5 * data.z.cwiseAbs2();
  }
  const Vector tilt = (rate_ * data.z.col(axis_)).array().min(largest_exponent).max(-largest_exponent).exp();
  Index at = plain;
  design.col(at++) = tilt;
  for (Index j = 0; j < d; ++j) {
    if (j == axis_) continue;
    const Vector tilted = tilt.cwiseProduct(data.z.col(j));
    design.col(at++) = tilted;
    design.col(at++) = 0.5 * tilted.cwiseProduct(data.z.col(j));
    for (Index k = j + 1; k < d; ++k)
      if (k != axis_) design.col(at++) = tilted.cwiseProduct(data.z.col(k));
  }
  design = data.errors.cwiseInverse().asDiagonal() * design;
  const Vector norms = design.colwise().norm().cwiseMax(1e-300);
  // Columns may be all but collinear near the top: a tiny ridge keeps what is undetermined at zero.
  Matrix ridged = Matrix::Zero(n + p, p);
  ridged.topRows(n) = design * norms.cwiseInverse().asDiagonal();
  ridged.bottomRows(p).diagonal().setConstant(1e-12);
  if (!ridged.allFinite()) return false;
  Vector target = Vector::Zero(n + p);
  target.head(n) = data.values.cwiseQuotient(data.errors);
  const Eigen::HouseholderQR<Matrix> qr(ridged);
  const Matrix thin = qr.householderQ() * Matrix::Identity(n + p, p);
  const Vector fitted = thin.topRows(n) * (thin.transpose() * target);
  const Vector left =
      (target.head(n) - fitted).array() / (1 - thin.topRows(n).rowwise().squaredNorm().array()).max(1e-9);
  relative_error_ = std::sqrt(left.squaredNorm() / static_cast<double>(n));
  if (!std::isfinite(relative_error_)) return false;
  const Vector c = qr.solve(target).cwiseQuotient(norms);

  constant_ = c[0];
  slope_ = bend_ = pull_ = Vector::Zero(d);
  bowl_ = Matrix::Zero(d, d);
  if (plain_ == Plain::noise_only) {
    slope_[axis_] = c[1];
  } else {
    slope_ = c.segment(1, d);
    bend_ = c.segment(1 + d, d);
  }
  at = plain;
  level_ = c[at++];
  for (Index j = 0; j < d; ++j) {
    if (j == axis_) continue;
    pull_[j] = c[at++];
    bowl_(j, j) = c[at++];
    for (Index k = j + 1; k < d; ++k)
      if (k != axis_) bowl_(j, k) = bowl_(k, j) = c[at++];
  }
  return true;
}

std::optional<TiltedQuadratic> TiltedQuadratic::fit(const std::vector<SearchPoint>& points,
                                                    const Vector& origin, const std::vector<double>& errors,
                                                    const Vector& widths,
                                                    const std::optional<TiltedQuadratic>& before) {
  const Index d = origin.size();
  // The shallowest few times as many as there are coefficients: more cost time and tell little.
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (std::isfinite(points[i].value) && std::isfinite(errors[i])) chosen.push_back(i);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return errors[a] < errors[b]; });
  const auto most = static_cast<std::size_t>(3 * (d * (d + 1) / 2 + 2 * d + 1) + 20);
  if (chosen.size() > most) chosen.resize(most);
  const auto n = static_cast<Index>(chosen.size());
  Data data{Matrix(n, d), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const std::size_t from = chosen[static_cast<std::size_t>(i)];
    data.z.row(i) = (points[from].z - origin).transpose();
    data.values[i] = points[from].value;
    data.errors[i] = errors[from];
  }
  std::optional<TiltedQuadratic> best;
  const auto consider = [&](Index axis, double rate, Plain plain) {
    TiltedQuadratic candidate;
    candidate.axis_ = axis;
    candidate.rate_ = rate;
    candidate.plain_ = plain;
    candidate.origin_ = origin;
    if (!candidate.solve(data)) return false;
    if (best && !(candidate.relative_error_ < best->relative_error_)) return false;
    best = std::move(candidate);
    return true;
  };
  for (const Plain plain : {Plain::noise_only, Plain::all}) {
    if (before) {
      consider(before->axis_, before->rate_, plain);
      continue;
    }
    for (Index axis = 0; axis < d; ++axis)
      for (const double rate : rates) consider(axis, rate * widths[axis], plain);
  }
  if (!best) return std::nullopt;
  for (double factor = 1.15; factor > 1 + 1e-4;)
    if (!consider(best->axis_, best->rate_ * factor, best->plain_) &&
        !consider(best->axis_, best->rate_ / factor, best->plain_))
      factor = std::sqrt(factor);
  if (!(best->relative_error_ < good_enough)) return std::nullopt;
  return best;
}

double TiltedQuadratic::value(const Vector& at) const {
  const Vector z = at - origin_;
  const double tilt = std::exp(std::min(rate_ * z[axis_], largest_exponent));
  return constant_ + slope_.dot(z) + 0.5 * bend_.dot(z.cwiseAbs2()) +
         tilt * (level_ + pull_.dot(z) + 0.5 * z.dot(bowl_ * z));
}

Vector TiltedQuadratic::gradient(const Vector& at) const {
  const Vector z = at - origin_;
  const double tilt = std::exp(std::min(rate_ * z[axis_], largest_exponent));
  const Vector bent = bowl_ * z;
  Vector result = slope_ + bend_.cwiseProduct(z) + tilt * (pull_ + bent);
  result[axis_] += rate_ * tilt * (level_ + pull_.dot(z) + 0.5 * z.dot(bent));
  return result;
}

Matrix TiltedQuadratic::hessian(const Vector& at) const {
  const Vector z = at - origin_;
  const double tilt = std::exp(std::min(rate_ * z[axis_], largest_exponent));
  const Vector bent = bowl_ * z;
  Matrix result = tilt * bowl_;
  result.diagonal() += bend_;
  const Vector mixed = rate_ * tilt * (pull_ + bent);
  result.row(axis_) += mixed.transpose();
  result.col(axis_) += mixed;
  result(axis_, axis_) += rate_ * rate_ * tilt * (level_ + pull_.dot(z) + 0.5 * z.dot(bent));
  return result;
}

std::optional<ConcaveTop> climb_to_top(const TiltedQuadratic& tilt, const SearchPrior& prior,
                                       const Vector& from) {
  constexpr int most_steps = 200;
  constexpr double converged = 1e-3;    // nats that a Newton step promises
  constexpr double longest_tilt = 1.5;  // nats by which a step may change the exponent
  constexpr double longest = 2;         // prior sds
  const auto value = [&](const Vector& z) { return tilt.value(z) + prior.log_density(z); };
  Vector z = from;
  for (int iteration = 0; iteration < most_steps; ++iteration) {
    const Vector slope = tilt.gradient(z) + prior.gradient(z);
    Matrix precision = -tilt.hessian(z);
    precision.diagonal() -= prior.curvatures(z);
    if (!slope.allFinite() || !precision.allFinite()) return std::nullopt;
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(precision);
    const double floor = std::max(1e-300, 1e-12 * eigen.eigenvalues().cwiseAbs().maxCoeff());
    const Vector along = eigen.eigenvectors().transpose() * slope;
    Vector step = eigen.eigenvectors() * along.cwiseQuotient(eigen.eigenvalues().cwiseAbs().cwiseMax(floor));
    if (eigen.eigenvalues()[0] > floor && 0.5 * slope.dot(step) < converged) {
      z += step;
      if (!prior.holds(z)) return std::nullopt;
      Matrix last = -tilt.hessian(z);
      last.diagonal() -= prior.curvatures(z);
      const Eigen::LLT<Matrix> llt(last);
      if (llt.info() != Eigen::Success) return std::nullopt;
      return ConcaveTop{z, llt.solve(Matrix::Identity(z.size(), z.size())), value(z)};
    }
    const double tilted = std::abs(tilt.rate() * step[tilt.axis()]);
    step *= std::min({1.0, longest_tilt / std::max(tilted, 1e-300), longest / std::max(step.norm(), 1e-300)});
    while (!(value(z + step) >= value(z)) && step.norm() > 1e-9) step *= 0.5;
    z += step;
  }
  return std::nullopt;
}

}  // namespace hunch
