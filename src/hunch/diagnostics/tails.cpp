#include "hunch/diagnostics/tails.hpp"

#include <algorithm>
#include <cmath>

#include "hunch/diagnostics/convergence.hpp"

namespace hunch {

namespace {

// Of the `count` largest values, by how much they exceed the next.
Vector largest(Vector sorted, Index count) {
  const Index n = sorted.size();
  return sorted.tail(count).array() - sorted[n - count - 1];
}

}  // namespace

std::optional<double> pareto_shape(Vector exceedances) {
  std::sort(exceedances.begin(), exceedances.end());
  const Eigen::ArrayXd x = exceedances.array();
  const Index n = x.size();
  if (n < 5 || !std::isfinite(x.sum()) || !(x[0] < x[n - 1])) return std::nullopt;
  const auto count = 30 + static_cast<Index>(std::floor(std::sqrt(static_cast<double>(n))));
  const double first_quartile = x[static_cast<Index>(std::floor(static_cast<double>(n) / 4 + 0.5)) - 1];
  const auto shape = [&](double theta) { return (-theta * x).log1p().mean(); };
  // A posterior mean of theta = -k / scale over a grid, weighted by the profile likelihood.
  Eigen::ArrayXd thetas(count);
  Eigen::ArrayXd log_likelihoods(count);
  for (Index j = 0; j < count; ++j) {
    const double quantile = std::sqrt(static_cast<double>(count) / (static_cast<double>(j) + 0.5));
    thetas[j] = 1 / x[n - 1] + (1 - quantile) / (3 * first_quartile);
    const double k = shape(thetas[j]);
    log_likelihoods[j] = static_cast<double>(n) * (std::log(-thetas[j] / k) - k - 1);
  }
  const Eigen::ArrayXd weights = (log_likelihoods - log_likelihoods.maxCoeff()).exp();
  const double k = shape((thetas * weights).sum() / weights.sum());
  return std::isfinite(k) ? std::optional(k) : std::nullopt;
}

std::optional<TailShape> tail_shape(const Matrix& x) {
  const auto draws = static_cast<double>(x.size());
  const auto count = static_cast<Index>(std::ceil(std::min(draws / 5, 3 * std::sqrt(draws))));
  if (count < 5 || !x.allFinite()) return std::nullopt;
  Vector sorted = x.reshaped();
  std::sort(sorted.begin(), sorted.end());
  const auto right = pareto_shape(largest(sorted, count));
  const auto left = pareto_shape(largest(-sorted.reverse(), count));
  const auto effective = ess_tail(x);
  if (!right || !left || !effective) return std::nullopt;
  const double shape = std::max(*right, *left);
  const double independent = static_cast<double>(count) * std::min(1.0, *effective / draws);
  return TailShape{shape, (1 + shape) / std::sqrt(independent)};
}

double largest_shape_for_sd(Index draws) {
  return std::min(1 - 1 / std::log10(static_cast<double>(draws)), 0.7) / 2;
}

}  // namespace hunch
