#include "hunch/surrogate/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hunch {

namespace {

// The correlations at all points from `first` on, seen from workspace.scaled; d1 and d2 if they are asked
// for.
enum class Derivatives { none, both };
void fill_radial(CovarianceFamily family, const Sites& sites, Index first, Derivatives derivatives,
                 double* phi, CovarianceWorkspace& w) {
  const Index rows = sites.scaled_rows.rows();
  const Index d = sites.dimension();
  if (derivatives == Derivatives::both) {
    w.d1.resize(rows);
    w.d2.resize(rows);
  }
  with_family(family, [&](auto chosen) {
    for (Index i = first / lane_width * lane_width; i < rows; i += lane_width) {
      Lane s = {};
      for (Index j = 0; j < d; ++j) {
        const Lane u = *lanes_at(sites.scaled_rows.data() + j * rows + i) - w.scaled[j];
        s += u * u;
      }
      const RadialLanes at = radial_lanes<chosen()>(s);
      *lanes_at(phi + i) = at.phi;
      if (derivatives == Derivatives::none) continue;
      *lanes_at(w.d1.data() + i) = at.d1;
      *lanes_at(w.d2.data() + i) = at.d2;
    }
  });
}

struct Block {
  double* first;
  Index stride;

  double& operator()(Index r, Index c) { return first[r + c * stride]; }
};

// The tilted terms of fill_block. With E = exp(m axis.x) exp(m axis.z), r = m axis and Q = (1 + x.z)^2:
//   cov(g_j, f) = E (r_j Q + Q' z_j)
//   cov(g_j, g_k) = E (r_j r_k Q + Q' (r_j x_k + r_k z_j + [j = k]) + Q'' x_k z_j)
void add_tilted(const Covariance& c, const double* x, const double* z, Index rows, Index columns, Block out) {
  const Index d = c.lengthscales.size();
  double dot = 1, at_x = 0, at_z = 0;
  for (Index j = 0; j < d; ++j) {
    dot += x[j] * z[j];
    at_x += c.axis[j] * x[j];
    at_z += c.axis[j] * z[j];
  }
  const double square = dot * dot;
  const double slope = 2 * dot;
  for (int m = 1; m <= 2; ++m) {
    const double e = c.tilted[static_cast<std::size_t>(m - 1)] * c.tilt(m, at_x) * c.tilt(m, at_z);
    const auto r = [&](Index j) { return m * c.axis[j - 1]; };
    out(0, 0) += e * square;
    for (Index j = 1; j < rows; ++j) out(j, 0) += e * (r(j) * square + slope * z[j - 1]);
    for (Index k = 1; k < columns; ++k) {
      out(0, k) += e * (r(k) * square + slope * x[k - 1]);
      for (Index j = 1; j < rows; ++j)
        out(j, k) += e * (r(j) * r(k) * square + slope * (r(j) * x[k - 1] + r(k) * z[j - 1]) +
                          2 * x[k - 1] * z[j - 1]);
      if (k < rows) out(k, k) += e * slope;
    }
  }
}

// cov((f, g)(x), (f, g)(z)), or the first row or column of it. With w = (x - z) / l^2 and phi' = d phi / ds:
//   cov(f, f) = phi                cov(f, g_k) = -2 phi' w_k
//   cov(g_j, f) = 2 phi' w_j       cov(g_j, g_k) = -2 phi' [j = k] / l_j^2 - 4 phi'' w_j w_k
// and the trend's derivatives. Products of two differences come first: they round the same when j and k, or x
// and z, are swapped.
void fill_block(const Covariance& c, const double* x, const double* z, const Radial& at, Index rows,
                Index columns, Block out, CovarianceWorkspace& workspace) {
  const Index d = c.lengthscales.size();
  out(0, 0) = c.signal_variance * at.phi;
  if (rows > 1 || columns > 1) {
    const double slope = 2 * c.signal_variance * at.d1;
    const double bend = -4 * c.signal_variance * at.d2;
    const double* inverse_squares = workspace.inverse_squares.data();
    double* apart = workspace.apart.data();
    for (Index j = 0; j < d; ++j) apart[j] = (x[j] - z[j]) * inverse_squares[j];
    for (Index j = 1; j < rows; ++j) out(j, 0) = slope * apart[j - 1];
    for (Index k = 1; k < columns; ++k) {
      out(0, k) = -slope * apart[k - 1];
      for (Index j = 1; j < rows; ++j) out(j, k) = (apart[j - 1] * apart[k - 1]) * bend;
      if (k < rows) out(k, k) -= slope * inverse_squares[k - 1];
    }
  }
  if (!c.has_trend()) return;
  double dot = 0, qx = 0, qz = 0;
  for (Index j = 0; j < d; ++j) {
    dot += x[j] * z[j];
    qx += 0.5 * x[j] * x[j];
    qz += 0.5 * z[j] * z[j];
  }
  const double steepness = c.quadratic * (4 + 2 * dot);
  out(0, 0) += c.constant + c.bowl * (qx * qz) + c.quadratic * (dot * (4 + dot));
  for (Index k = 1; k < columns; ++k) out(0, k) += c.bowl * qx * z[k - 1] + steepness * x[k - 1];
  for (Index j = 1; j < rows; ++j) out(j, 0) += c.bowl * qz * x[j - 1] + steepness * z[j - 1];
  for (Index k = 1; k < columns; ++k) {
    for (Index j = 1; j < rows; ++j)
      out(j, k) += c.bowl * (x[j - 1] * z[k - 1]) + 2 * c.quadratic * (x[k - 1] * z[j - 1]);
    if (k < rows) out(k, k) += steepness;
  }
  if (c.is_tilted()) add_tilted(c, x, z, rows, columns, out);
}

void prepare(const Covariance& c, CovarianceWorkspace& w) {
  w.inverse_squares = c.lengthscales.cwiseAbs2().cwiseInverse();
  w.apart.resize(c.lengthscales.size());
}

// As fill_cross_covariance, from one point on.
void fill_from(const Covariance& c, const Sites& sites, Index first, const Vector& z, Eigen::Ref<Matrix> out,
               CovarianceWorkspace& w) {
  const Index n = sites.size();
  w.scaled = z.cwiseProduct(c.lengthscales.cwiseInverse());
  if (sites.sloped == 0 && out.cols() == 1) {
    fill_radial(c.family, sites, first, Derivatives::none, out.data(), w);
    auto column = out.col(0).segment(first, n - first).array();
    column *= c.signal_variance;
    if (!c.has_trend()) return;
    w.products.noalias() = sites.points.rightCols(n - first).transpose() * z;
    column += c.constant + (0.5 * c.bowl * z.squaredNorm()) * sites.half_squares.tail(n - first).array() +
              c.quadratic * (w.products.array() * (4 + w.products.array()));
    if (!c.is_tilted()) return;
    const double at_z = c.axis.dot(z);
    const double ends[] = {c.tilted[0] * c.tilt(1, at_z), c.tilted[1] * c.tilt(2, at_z)};
    for (Index i = first; i < n; ++i) {
      const double bent = (1 + w.products[i - first]) * (1 + w.products[i - first]);
      column[i - first] += bent * (ends[0] * sites.tilts(0, i) + ends[1] * sites.tilts(1, i));
    }
    return;
  }
  prepare(c, w);
  w.phi.resize(sites.scaled_rows.rows());
  fill_radial(c.family, sites, first, Derivatives::both, w.phi.data(), w);
  for (Index i = first; i < n; ++i) {
    fill_block(c, sites.points.data() + i * sites.dimension(), z.data(), {w.phi[i], w.d1[i], w.d2[i], 0},
               sites.numbers_at(i), out.cols(), {out.data() + sites.row(i), out.outerStride()}, w);
  }
}

}  // namespace

double Covariance::tilt(int m, double along_axis) const {
  constexpr double largest_exponent = 30;  // farther out nothing is known
  return std::exp(std::clamp(m * along_axis, -largest_exponent, largest_exponent));
}

Radial radial(CovarianceFamily family, double s) {
  if (family == CovarianceFamily::squared_exponential) {
    const double phi = std::exp(-0.5 * s);
    return {phi, -0.5 * phi, 0.25 * phi, -0.125 * phi};
  }
  const double r = std::sqrt(5 * s);
  const double e = std::exp(-r);
  const double third = s > 0 ? -(125.0 / 24) * e / r : 0.0;
  return {(1 + r + r * r / 3) * e, -(5.0 / 6) * (1 + r) * e, (25.0 / 12) * e, third};
}

void validate(const Covariance& covariance) {
  const auto positive = [](double v) { return v > 0 && std::isfinite(v); };
  if (!positive(covariance.signal_variance)) {
    throw InputError("covariance.signal_variance: got " + std::to_string(covariance.signal_variance) +
                     ", expected positive and finite");
  }
  for (double lengthscale : covariance.lengthscales) {
    if (positive(lengthscale)) continue;
    throw InputError("covariance.lengthscales: got " + std::to_string(lengthscale) +
                     ", expected positive and finite");
  }
}

Sites::Sites(const Covariance& covariance, Matrix points_, Index sloped_)
    : points(std::move(points_)), sloped(sloped_) {
  scaled_rows = Matrix::Zero(whole_lanes(size()), dimension());
  scaled_rows.topRows(size()) = points.transpose() * covariance.lengthscales.cwiseInverse().asDiagonal();
  half_squares = 0.5 * points.colwise().squaredNorm().transpose();
  fill_tilts(covariance, 0);
}

void Sites::fill_tilts(const Covariance& covariance, Index first) {
  if (!covariance.is_tilted()) return;
  tilts.conservativeResize(2, size());
  for (Index i = first; i < size(); ++i) {
    const double along = covariance.axis.dot(points.col(i));
    tilts.col(i) << covariance.tilt(1, along), covariance.tilt(2, along);
  }
}

void Sites::append(const Covariance& covariance, const Matrix& more, Index more_sloped) {
  const Index before = size();
  sloped += more_sloped;
  points.conservativeResize(Eigen::NoChange, before + more.cols());
  points.rightCols(more.cols()) = more;
  if (scaled_rows.rows() < size()) {
    scaled_rows.conservativeResize(whole_lanes(size()), Eigen::NoChange);
    scaled_rows.bottomRows(scaled_rows.rows() - before).setZero();
  }
  scaled_rows.middleRows(before, more.cols()) =
      more.transpose() * covariance.lengthscales.cwiseInverse().asDiagonal();
  half_squares.conservativeResize(size());
  half_squares.tail(more.cols()) = 0.5 * more.colwise().squaredNorm().transpose();
  fill_tilts(covariance, before);
}

bool is_usable(const Eigen::Ref<const Vector>& scaled) {
  return (scaled.array().abs() <= 1e100).all();
}

void fill_cross_covariance(const Covariance& c, const Sites& sites, const Vector& z, Eigen::Ref<Matrix> out,
                           CovarianceWorkspace& workspace) {
  fill_from(c, sites, 0, z, out, workspace);
  out.bottomRows(out.rows() - sites.numbers()).setZero();
}

Matrix covariance_between(const Covariance& c, const Vector& x, const Vector& z, Index numbers) {
  Matrix block(numbers, numbers);
  const double s = (x - z).cwiseQuotient(c.lengthscales).squaredNorm();
  const Radial at = std::isfinite(s) ? radial(c.family, s) : Radial{0, 0, 0, 0};
  CovarianceWorkspace workspace;
  if (numbers > 1) prepare(c, workspace);
  fill_block(c, x.data(), z.data(), at, numbers, numbers, {block.data(), numbers}, workspace);
  return block;
}

Matrix covariance_matrix(const Covariance& c, const Sites& sites) {
  const Index n = sites.numbers();
  Matrix all(whole_lanes(n), n);
  CovarianceWorkspace workspace;
  for (Index j = 0; j < sites.size(); ++j) {
    fill_from(c, sites, j, sites.points.col(j), all.middleCols(sites.row(j), sites.numbers_at(j)), workspace);
  }
  if (all.rows() > n) all.conservativeResize(n, n);
  for (Index j = 1; j < n; ++j) all.col(j).head(j) = all.row(j).head(j).transpose();
  return all;
}

double prior_variance(const Covariance& c, const Vector& z) {
  const double square = z.squaredNorm();
  double result =
      c.signal_variance + c.constant + 0.25 * c.bowl * square * square + c.quadratic * square * (4 + square);
  if (!c.is_tilted()) return result;
  const double along = c.axis.dot(z);
  for (int m = 1; m <= 2; ++m)
    result += c.tilted[static_cast<std::size_t>(m - 1)] * std::pow(c.tilt(m, along) * (1 + square), 2);
  return result;
}

Matrix correlation_slopes(const Covariance& c, const Sites& sites) {
  Matrix slopes(sites.size(), sites.size());
  CovarianceWorkspace w;
  w.phi.resize(sites.scaled_rows.rows());
  for (Index j = 0; j < sites.size(); ++j) {
    w.scaled = sites.scaled_rows.row(j).transpose();
    fill_radial(c.family, sites, 0, Derivatives::both, w.phi.data(), w);
    slopes.col(j) = c.signal_variance * w.d1.head(sites.size());
  }
  return slopes;
}

// From u_j -> -u_j and s -> -2 u_j^2 per unit of log l_j. Written as loops: it runs for every pair, and must
// not allocate.
void add_block_gradient(const Radial& at, const Vector& u, const Matrix& pull, Vector& both,
                        Vector& gradient) {
  const Index d = u.size();
  double trace = 0;
  double along = 0;
  double bent = 0;
  for (Index j = 0; j < d; ++j) {
    double sum = 0;
    for (Index k = 0; k < d; ++k) sum += (pull(j + 1, k + 1) + pull(k + 1, j + 1)) * u(k);
    both(j) = sum;
    bent += 0.5 * sum * u(j);
    trace += pull(j + 1, j + 1);
    along += (pull(j + 1, 0) - pull(0, j + 1)) * u(j);
  }
  const double common = -2 * at.d1 * pull(0, 0) + 4 * at.d2 * (trace - along) + 8 * at.d3 * bent;
  for (Index j = 0; j < d; ++j) {
    const double own = -2 * at.d1 * (pull(j + 1, 0) - pull(0, j + 1)) + 4 * at.d2 * both(j);
    gradient(j) += u(j) * (common * u(j) + own);
  }
}

}  // namespace hunch
