#include "hunch/problems/normal_mixture.hpp"

#include <cmath>

#include "hunch/problems/answer_with.hpp"

namespace hunch {

std::vector<Peak> bimodal_peaks() {
  return {{0.3, {-0.8, -2.9}, 1}, {0.7, {2.8, 1.9}, 1}};
}

std::vector<Peak> spike_peaks() {
  return {{0.7, {0, 0}, 1}, {0.3, {1.5, -1}, 0.01}};
}

Exact mixture_log_density(const std::vector<Peak>& peaks, const Vector& theta, Want want) {
  Vector logs(static_cast<Index>(peaks.size()));
  for (Index k = 0; k < logs.size(); ++k) {
    const Peak& peak = peaks[static_cast<std::size_t>(k)];
    const double squares = (theta - peak.centre).squaredNorm() / (peak.sd * peak.sd);
    logs[k] = std::log(peak.weight) - log_two_pi - 2 * std::log(peak.sd) - 0.5 * squares;
  }
  const double top = logs.maxCoeff();
  const Vector parts = (logs.array() - top).exp();
  return answer_with(top + std::log(parts.sum()), want, [&] {
    Vector gradient = Vector::Zero(2);
    for (Index k = 0; k < logs.size(); ++k) {
      const Peak& peak = peaks[static_cast<std::size_t>(k)];
      gradient -= parts[k] / parts.sum() / (peak.sd * peak.sd) * (theta - peak.centre);
    }
    return gradient;
  });
}

}  // namespace hunch
