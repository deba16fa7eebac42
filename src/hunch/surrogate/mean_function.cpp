#include "hunch/surrogate/mean_function.hpp"

#include <utility>

namespace hunch {

namespace {

// Positions handled side by side: each point is loaded once for all of them.
constexpr int together = 4;

}  // namespace

MeanFunction::MeanFunction(Covariance covariance, const Sites& sites, const Vector& weights,
                           double prior_mean)
    : covariance_(std::move(covariance)), prior_mean_(prior_mean), scaled_rows_(sites.scaled_rows) {
  const Index n = sites.size();
  const Index d = sites.dimension();
  const Index m = sites.sloped;
  const Covariance& c = covariance_;
  Vector of_values(n);
  for (Index i = 0; i < n; ++i) of_values[i] = weights[sites.row(i)];
  const Matrix of_gradients = weights.head(m * (d + 1)).reshaped(d + 1, m).bottomRows(d);
  const auto sloped_points = sites.points.leftCols(m);

  plain_.level = c.constant * of_values.sum();
  plain_.slope = 4 * c.quadratic * (sites.points * of_values + of_gradients.rowwise().sum());
  bowl_curvature_ =
      c.bowl * (of_values.dot(sites.half_squares) + sloped_points.cwiseProduct(of_gradients).sum());
  const Matrix products = sloped_points * of_gradients.transpose();
  plain_.curvature =
      2 * c.quadratic *
      (sites.points * of_values.asDiagonal() * sites.points.transpose() + products + products.transpose());
  plain_.curvature.diagonal().array() += bowl_curvature_;
  for (Index k = 0; c.is_tilted() && k < 2; ++k) {
    const Vector ends = c.tilted[static_cast<std::size_t>(k)] * sites.tilts.row(k).transpose();
    Vector along = of_values;
    along.head(m) += static_cast<double>(k + 1) * (of_gradients.transpose() * c.axis);
    const Vector weights_here = ends.cwiseProduct(along);
    const Matrix steep = of_gradients * ends.head(m).asDiagonal();
    const Matrix turned = sloped_points * steep.transpose();
    tilted_.push_back({weights_here.sum(), 2 * (sites.points * weights_here + steep.rowwise().sum()),
                       2 * (sites.points * weights_here.asDiagonal() * sites.points.transpose() + turned +
                            turned.transpose())});
  }

  weights_ = Vector::Zero(scaled_rows_.rows());
  weights_.head(n) = c.signal_variance * of_values;
  gradient_weights_ = Matrix::Zero(whole_lanes(m), d);
  gradient_weights_.topRows(m) =
      c.signal_variance * (of_gradients.transpose() * c.lengthscales.cwiseInverse().asDiagonal());
  gradient_offsets_ = gradient_weights_.cwiseProduct(scaled_rows_.topRows(whole_lanes(m))).rowwise().sum();
}

// With s the squared distance from point i in lengthscales, dk/dz_i = -2 phi'(s) (z - z_i) / l^2.
template <int width>
void MeanFunction::add_stationary(const double* scaled, double* results) const {
  const Index rows = scaled_rows_.rows();
  const Index sloped = gradient_weights_.rows();
  const Index d = scaled_rows_.cols();
  with_family(covariance_.family, [&](auto family) {
    Lane sums[width] = {};
    for (Index i = 0; i < rows; i += lane_width) {
      Lane s[width] = {};
      const double* coordinate = scaled_rows_.data() + i;
      for (Index j = 0; j < d; ++j, coordinate += rows) {
        const Lane point = *lanes_at(coordinate);
        for (int p = 0; p < width; ++p) {
          const Lane u = point - scaled[p * d + j];
          s[p] += u * u;
        }
      }
      const Lane weight = *lanes_at(weights_.data() + i);
      if (i >= sloped) {
        for (int p = 0; p < width; ++p) sums[p] += weight * radial_lanes<family()>(s[p]).phi;
        continue;
      }
      for (int p = 0; p < width; ++p) {
        Lane along = -*lanes_at(gradient_offsets_.data() + i);
        for (Index j = 0; j < d; ++j)
          along += *lanes_at(gradient_weights_.data() + j * sloped + i) * scaled[p * d + j];
        const RadialLanes at = radial_lanes<family()>(s[p]);
        sums[p] += weight * at.phi;
        sums[p] += (-2 * at.d1) * along;
      }
    }
    for (int p = 0; p < width; ++p) results[p] += sum_of(sums[p]);
  });
}

double MeanFunction::trend(const Vector& z, Vector& product, Vector* gradient) const {
  if (!covariance_.has_trend()) return prior_mean_;
  double result = prior_mean_ + plain_(z, product);
  if (gradient) *gradient += plain_.slope + product;
  const double along = tilted_.empty() ? 0 : covariance_.axis.dot(z);
  for (std::size_t k = 0; k < tilted_.size(); ++k) {
    const int m = static_cast<int>(k) + 1;
    const double tilt = covariance_.tilt(m, along);
    const double value = tilt * tilted_[k](z, product);
    result += value;
    if (gradient) *gradient += tilt * (tilted_[k].slope + product) + (m * value) * covariance_.axis;
  }
  return result;
}

double MeanFunction::value(const Vector& z, Workspace& w) const {
  w.scaled = z.cwiseQuotient(covariance_.lengthscales);
  if (!is_usable(w.scaled)) return prior_mean_;
  double result = trend(z, w.product);
  add_stationary<1>(w.scaled.data(), &result);
  return result;
}

Vector MeanFunction::values(const Matrix& zs) const {
  Vector results(zs.cols());
  Workspace w;
  const Matrix scaled = zs.array().colwise() / covariance_.lengthscales.array();
  Index i = 0;
  for (; i + together <= zs.cols(); i += together) {
    if (!is_usable(scaled.middleCols(i, together).reshaped())) {
      for (Index k = i; k < i + together; ++k) results[k] = value(zs.col(k), w);
      continue;
    }
    for (Index k = i; k < i + together; ++k) results[k] = trend(zs.col(k), w.product);
    add_stationary<together>(scaled.data() + i * scaled.rows(), results.data() + i);
  }
  for (; i < zs.cols(); ++i) results[i] = value(zs.col(i), w);
  return results;
}

double MeanFunction::value_and_gradient(const Vector& z, Vector& gradient, Workspace& w) const {
  const Index rows = scaled_rows_.rows();
  const Index sloped = gradient_weights_.rows();
  const Index d = scaled_rows_.cols();
  w.scaled = z.cwiseQuotient(covariance_.lengthscales);
  gradient.setZero(d);
  if (!is_usable(w.scaled)) return prior_mean_;
  w.sums.setZero(d * lane_width);  // for each coordinate a lane of the gradient's
  Lane sum = {};
  with_family(covariance_.family, [&](auto family) {
    for (Index i = 0; i < rows; i += lane_width) {
      Lane s = {};
      Lane along = {};
      for (Index j = 0; j < d; ++j) {
        const Lane u = w.scaled[j] - *lanes_at(scaled_rows_.data() + j * rows + i);
        s += u * u;
        if (i < sloped) along += *lanes_at(gradient_weights_.data() + j * sloped + i) * u;
      }
      const RadialLanes at = radial_lanes<family()>(s);
      const Lane weight = *lanes_at(weights_.data() + i);
      const Lane slope = -2 * at.d1;
      sum += weight * at.phi + along * slope;
      const Lane pull = 2 * (weight * at.d1) - 4 * (along * at.d2);  // d s / d z_j = 2 u_j / l_j
      for (Index j = 0; j < d; ++j) {
        Lane& along_j = *lanes_at(w.sums.data() + j * lane_width);
        along_j += pull * (w.scaled[j] - *lanes_at(scaled_rows_.data() + j * rows + i));
        if (i < sloped) along_j += slope * *lanes_at(gradient_weights_.data() + j * sloped + i);
      }
    }
  });
  for (Index j = 0; j < d; ++j)
    gradient[j] = sum_of(*lanes_at(w.sums.data() + j * lane_width)) / covariance_.lengthscales[j];
  return trend(z, w.product, &gradient) + sum_of(sum);
}

}  // namespace hunch
