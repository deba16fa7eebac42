#include "hunch/diagnostics/pooled.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace hunch {

namespace {

std::optional<double> known(double value) {
  if (std::isnan(value)) return std::nullopt;
  return value;
}

bool orderable(const Matrix& x) {
  return x.size() > 0 && !x.hasNaN();
}

Eigen::Map<const Vector> flat(const Matrix& x) {
  return {x.data(), x.size()};
}

// The k-th smallest (from 0) and the one after it; values is rearranged.
struct Neighbours {
  double lower, upper;
};
Neighbours order_statistics(std::vector<double>& values, std::size_t k) {
  const auto kth = values.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(values.begin(), kth, values.end());
  const auto next = std::min_element(kth + 1, values.end());
  return {*kth, next == values.end() ? *kth : *next};
}

double median_of(std::vector<double> values) {
  const std::size_t n = values.size();
  const auto [lower, upper] = order_statistics(values, (n - 1) / 2);
  if (n % 2 == 1) return lower;
  // Extended precision, as in R: the midpoint decides which folded draws tie.
  return static_cast<double>((static_cast<long double>(lower) + upper) / 2);
}

}  // namespace

double accurate_mean(Eigen::Ref<const Vector> x) {
  const auto n = static_cast<long double>(x.size());
  long double sum = 0;
  for (Index i = 0; i < x.size(); ++i) sum += x[i];
  const long double first = sum / n;
  if (!std::isfinite(first)) return static_cast<double>(first);
  long double residual = 0;
  for (Index i = 0; i < x.size(); ++i) residual += x[i] - first;
  return static_cast<double>(first + residual / n);
}

double accurate_variance(Eigen::Ref<const Vector> x) {
  const double centre = accurate_mean(x);
  long double sum = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const long double distance = x[i] - centre;
    sum += distance * distance;
  }
  return static_cast<double>(sum / static_cast<long double>(x.size() - 1));
}

std::optional<double> mean(const Matrix& x) {
  if (x.size() == 0) return std::nullopt;
  return known(accurate_mean(flat(x)));
}

std::optional<double> sd(const Matrix& x) {
  if (x.size() < 2) return std::nullopt;
  return known(std::sqrt(accurate_variance(flat(x))));
}

std::optional<double> median(const Matrix& x) {
  if (!orderable(x)) return std::nullopt;
  return known(median_of({x.data(), x.data() + x.size()}));
}

std::optional<double> mad(const Matrix& x) {
  const auto centre = median(x);
  if (!centre) return std::nullopt;
  const Matrix distance = (x.array() - *centre).abs();
  const auto typical = median(distance);
  if (!typical) return std::nullopt;
  return 1.4826 * *typical;
}

std::optional<double> quantile(const Matrix& x, double probability) {
  if (!(probability >= 0 && probability <= 1)) throw std::logic_error("quantile: a probability is in [0, 1]");
  if (!orderable(x)) return std::nullopt;
  std::vector<double> values(x.data(), x.data() + x.size());
  // Counted from one, as in R, because the sum's rounding is what turns 0.05 * 20 into a whole index.
  const double index = 1 + static_cast<double>(x.size() - 1) * probability;
  const double below = std::floor(index);
  const auto [lower, upper] = order_statistics(values, static_cast<std::size_t>(below) - 1);
  const double weight = index - below;
  if (weight == 0 || lower == upper) return lower;
  return known((1 - weight) * lower + weight * upper);
}

}  // namespace hunch
