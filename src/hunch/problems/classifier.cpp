#include "hunch/problems/classifier.hpp"

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/problems/cholesky_inverse.hpp"
#include "hunch/problems/latent_mode.hpp"

namespace hunch {
namespace {

using Points = Eigen::Matrix<double, Eigen::Dynamic, 2>;

Points in_lengthscales(const Points& points, const Vector& theta) {
  Points scaled = points;
  scaled.col(0) *= std::exp(-theta[0]);
  scaled.col(1) *= std::exp(-theta[1]);
  return scaled;
}

// Lower triangle of the covariance matrix; the rest is not written.
Matrix covariance_matrix(const Points& scaled, double log_variance) {
  const Index n = scaled.rows();
  Matrix k(n, n);
  for (Index j = 0; j < n; ++j) {
    const auto x = scaled.col(0).tail(n - j).array() - scaled(j, 0);
    const auto y = scaled.col(1).tail(n - j).array() - scaled(j, 1);
    k.col(j).tail(n - j) = (log_variance - 0.5 * (x.square() + y.square())).exp();
  }
  return k;
}

// How the log marginal likelihood changes with f at fixed covariance, through the determinant alone:
// -1/2 Sigma_ii dW_i/df_i with Sigma = (K^-1 + W)^-1. Sigma_ii = (1 - (B^-1)_ii) / W_i and
// dW_i/df_i = W_i (1 - 2 p_i), so that W_i cancels.
Vector slope_in_f(const LatentMode& mode, const Matrix& b_inverse) {
  return 0.5 * (1 - b_inverse.diagonal().array()) * (0.5 * mode.f.array()).tanh();
}

// Every derivative is sum_ij dK_ij G_ij with G = (a a' - W^1/2 B^-1 W^1/2 + u a' + a u') / 2, where
// u = (I + W K)^-1 slope_in_f carries the mode's own dependence on theta.
Vector gradient_at(const LatentMode& mode, const Points& scaled, const Matrix& k, const Matrix& b_inverse) {
  const Index n = scaled.rows();
  const Vector& a = mode.weights;
  const Vector& w = mode.root_curvature;
  Vector u = slope_in_f(mode, b_inverse);
  const Vector pulled = w.cwiseProduct(k.selfadjointView<Eigen::Lower>() * u);
  u -= w.cwiseProduct(b_inverse.selfadjointView<Eigen::Lower>() * pulled);

  Vector gradient = Vector::Zero(3);
  Eigen::ArrayXd term(n);
  for (Index j = 0; j < n; ++j) {
    const Index rest = n - j;
    auto t = term.head(rest);
    t = k.col(j).tail(rest).array() * ((a[j] + u[j]) * a.tail(rest).array() + a[j] * u.tail(rest).array() -
                                       w[j] * w.tail(rest).array() * b_inverse.col(j).tail(rest).array());
    gradient[0] += (t * (scaled.col(0).tail(rest).array() - scaled(j, 0)).square()).sum();
    gradient[1] += (t * (scaled.col(1).tail(rest).array() - scaled(j, 1)).square()).sum();
    gradient[2] += t.sum() - 0.5 * t[0];
  }
  return gradient;
}

}  // namespace

ClassifierData draw_classifier_data(Rng& rng, Index point_count) {
  ClassifierData data{Points(point_count, 2), Vector(point_count), Vector(3)};
  data.truth << std::log(0.1 + 0.9 * rng.uniform()), std::log(0.1 + 0.9 * rng.uniform()), std::log(5.0);
  for (Index i = 0; i < point_count; ++i) data.points.row(i) << rng.normal(), rng.normal();
  Matrix k = covariance_matrix(in_lengthscales(data.points, data.truth), data.truth[2]);
  k.diagonal() *= 1 + 1e-8;  // the covariance alone is singular in doubles
  const Eigen::LLT<Eigen::Ref<Matrix>> root(k);
  const Vector latent = root.matrixL() * rng.normal(point_count);
  for (Index i = 0; i < point_count; ++i) data.labels[i] = rng.uniform() < logistic(latent[i]) ? 1 : -1;
  return data;
}

Exact classifier_log_likelihood(const ClassifierData& data, const Vector& theta, Want want) {
  if (!(theta.array().abs() <= 25).all()) return {-infinity, std::nullopt};
  const Points scaled = in_lengthscales(data.points, theta);
  const Matrix k = covariance_matrix(scaled, theta[2]);
  std::optional<LatentMode> mode = find_latent_mode(k, data.labels);
  if (!mode) return {-infinity, std::nullopt};
  const double value =
      mode->log_likelihood - 0.5 * mode->weights.dot(mode->f) - mode->factor.diagonal().array().log().sum();
  if (want == Want::value) return {value, std::nullopt};
  invert_from_cholesky(mode->factor);
  return {value, gradient_at(*mode, scaled, k, mode->factor)};
}

}  // namespace hunch
