#include "hunch/diagnostics/convergence.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "hunch/diagnostics/autocovariance.hpp"
#include "hunch/diagnostics/pooled.hpp"
#include "hunch/diagnostics/ranks.hpp"

namespace hunch {

namespace {

using Maybe = std::optional<double>;

bool says_nothing(const Matrix& x) {
  if (x.size() == 0 || !x.allFinite()) return true;
  return x.maxCoeff() - x.minCoeff() < std::numeric_limits<double>::epsilon();
}

double variance_of_chain_means(const Matrix& x) {
  Vector means(x.cols());
  for (Index chain = 0; chain < x.cols(); ++chain) means[chain] = accurate_mean(x.col(chain));
  return accurate_variance(means);
}

// sqrt((B/W + n - 1) / n) of chains as they are, B/n being the variance of their means. W is exactly zero,
// and the result infinite, when no chain moves.
Maybe rhat_of(const Matrix& x) {
  if (x.rows() < 2 || x.cols() < 2 || says_nothing(x)) return std::nullopt;
  double within = 0;
  for (Index chain = 0; chain < x.cols(); ++chain) within += accurate_variance(x.col(chain));
  within /= static_cast<double>(x.cols());
  const auto n = static_cast<double>(x.rows());
  return std::sqrt(variance_of_chain_means(x) / within + (n - 1) / n);
}

// Autocorrelations at lags 0 .. cut: Geyer's initial positive sequence of pairs, made monotone.
Vector geyer_autocorrelation(const Vector& autocovariance, double within, double total) {
  const Index n = autocovariance.size();
  const auto rho = [&](Index lag) { return 1 - (within - autocovariance[lag]) / total; };
  Vector kept = Vector::Zero(n);
  double even = 1;
  double odd = rho(1);
  kept.head<2>() << even, odd;
  Index cut = 0;
  while (cut < n - 5 && even + odd > 0) {
    cut += 2;
    even = rho(cut);
    odd = rho(cut + 1);
    if (even + odd >= 0) kept.segment<2>(cut) << even, odd;
  }
  if (even > 0) kept[cut] = even;  // the half of a rejected pair that is still positive improves the estimate

  for (Index lag = 2; lag <= cut - 2; lag += 2) {
    const double previous = kept[lag - 2] + kept[lag - 1];
    if (kept[lag] + kept[lag + 1] > previous) kept.segment<2>(lag).setConstant(previous / 2);
  }
  return kept.head(cut + 1);
}

// The effective sample size of chains as they are.
Maybe ess_of(const Matrix& x) {
  if (x.rows() < 3 || says_nothing(x)) return std::nullopt;
  const auto n = static_cast<double>(x.rows());
  const Vector autocovariance = mean_autocovariance(x);
  const double within = autocovariance[0] * n / (n - 1);
  const double total = autocovariance[0] + (x.cols() > 1 ? variance_of_chain_means(x) : 0.0);

  const Vector rho = geyer_autocorrelation(autocovariance, within, total);
  // With no pair beyond the first, posterior counts lag 0 twice over: tau is 2, on the safe side.
  const double sum = rho.head(std::max<Index>(rho.size() - 1, 1)).sum();
  const double tau = -1 + 2 * sum + rho[rho.size() - 1];
  const double draws = n * static_cast<double>(x.cols());
  return draws / std::max(tau, 1 / std::log10(draws));  // antithetic chains: at most S log10(S)
}

// x - mean over all values; NaN throughout when there is no such mean.
Matrix centred(const Matrix& x) {
  return x.array() - mean(x).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

Maybe rhat(const Matrix& x) {
  const Maybe bulk = rhat_of(normal_scores(split_chains(x)));
  if (!bulk) return std::nullopt;
  const Maybe tail = rhat_of(normal_scores(split_chains(folded(x))));
  if (!tail) return std::nullopt;
  return std::max(*bulk, *tail);
}

Maybe rhat_basic(const Matrix& x) {
  return rhat_of(split_chains(x));
}

Maybe ess_bulk(const Matrix& x) {
  return ess_of(normal_scores(split_chains(x)));
}

Maybe ess_tail(const Matrix& x) {
  const Maybe low = ess_quantile(x, 0.05);
  const Maybe high = ess_quantile(x, 0.95);
  if (!low || !high) return std::nullopt;
  return std::min(*low, *high);
}

Maybe ess_mean(const Matrix& x) {
  return ess_of(split_chains(x));
}

Maybe ess_sd(const Matrix& x) {
  return ess_mean(centred(x).cwiseAbs());
}

Maybe ess_squares(const Matrix& x) {
  return ess_mean(centred(x).cwiseAbs2());
}

Maybe ess_quantile(const Matrix& x, double probability) {
  if (!(probability >= 0 && probability <= 1))
    throw std::logic_error("ess_quantile: a probability is in [0, 1]");
  if (says_nothing(x)) return std::nullopt;
  const auto size = static_cast<double>(x.size());
  // Every draw is at most the maximum; half a draw below it, one is not.
  const double inside = probability == 1 ? (size - 0.5) / size : probability;
  const double threshold = quantile(x, inside).value();
  const Matrix below = (x.array() <= threshold).cast<double>();
  return ess_of(split_chains(below));
}

Maybe mcse_mean(const Matrix& x) {
  const Maybe ess = ess_mean(x);
  if (!ess) return std::nullopt;
  return sd(x).value() / std::sqrt(*ess);
}

// The delta method: Var(s) = Var(s^2) / (4 s^2), with the fourth moment for Var(s^2).
Maybe mcse_sd(const Matrix& x) {
  const Matrix squares = centred(x).cwiseAbs2();
  const Maybe ess = ess_mean(squares);
  if (!ess) return std::nullopt;
  const double variance = mean(squares).value();
  const double variance_of_squares = mean(squares.cwiseAbs2()).value() - variance * variance;
  return std::sqrt(variance_of_squares / *ess / variance / 4);
}

// Half the width of a central 68 % interval of the quantile's rank, read off the sorted draws.
Maybe mcse_quantile(const Matrix& x, double probability) {
  const Maybe ess = ess_quantile(x, probability);
  if (!ess) return std::nullopt;
  const double a = *ess * probability + 1;
  const double b = *ess * (1 - probability) + 1;
  const double low = boost::math::ibeta_inv(a, b, 0.1586553);
  const double high = boost::math::ibeta_inv(a, b, 0.8413447);
  std::vector<double> sorted(x.data(), x.data() + x.size());
  std::sort(sorted.begin(), sorted.end());
  const auto size = static_cast<double>(sorted.size());
  const auto first = static_cast<std::size_t>(std::max(std::floor(low * size), 1.0));
  const auto last = static_cast<std::size_t>(std::min(std::ceil(high * size), size));
  return (sorted[last - 1] - sorted[first - 1]) / 2;
}

}  // namespace hunch
