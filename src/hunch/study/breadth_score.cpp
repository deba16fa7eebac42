#include "hunch/study/breadth_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/convergence.hpp"
#include "hunch/diagnostics/pooled.hpp"

namespace hunch {
namespace {

constexpr double mean_error_allowed_sd = 0.2;
constexpr double sd_factor_allowed = 1.15;
constexpr double monte_carlo_errors_allowed = 4;
constexpr double smallest_ratio = 1e-9;  // of an sd, where all draws are equal

struct MonteCarloErrors {
  double mean;    // in sds
  double log_sd;  // from the fourth moment of the reference
};

// Draws that are all equal are worth one.
MonteCarloErrors errors_of(const Matrix& x, double kurtosis, double reference_draws) {
  const double mean_draws = ess_mean(x).value_or(1), squares = ess_squares(x).value_or(1);
  return {std::sqrt(1 / mean_draws + 1 / reference_draws),
          0.5 * std::sqrt((kurtosis - 1) * (1 / squares + 1 / reference_draws))};
}

}  // namespace

BreadthScore score_draws(const Draws& draws, const BreadthReference& reference) {
  BreadthScore score;
  for (Index p = 0; p < draws.parameters(); ++p) {
    const auto i = static_cast<std::size_t>(p);
    const Matrix x = draws.parameter(p);
    const MonteCarloErrors errors = errors_of(x, reference.kurtosis.at(i), reference.draws);
    const double error = (mean(x).value_or(infinity) - reference.mean.at(i)) / reference.sd.at(i);
    const double ratio = std::max(sd(x).value_or(0) / reference.sd.at(i), smallest_ratio);
    const double log_ratio = std::abs(std::log(ratio));
    if (!(std::abs(error) <= std::max(mean_error_allowed_sd, monte_carlo_errors_allowed * errors.mean)))
      score.faults.push_back(fmt::format("{} mean {:+.2f} sd", draws.names()[i], error));
    if (!(log_ratio <= std::max(std::log(sd_factor_allowed), monte_carlo_errors_allowed * errors.log_sd)))
      score.faults.push_back(fmt::format("{} sd x {:.2f}", draws.names()[i], ratio));
    score.worst_mean_error_sd = std::max(score.worst_mean_error_sd, std::abs(error));
    if (log_ratio > std::abs(std::log(score.worst_sd_ratio))) score.worst_sd_ratio = ratio;
  }
  return score;
}

BreadthVerdict breadth_verdict(const BreadthScore& score, DrawsStatus status) {
  if (status == DrawsStatus::refused) return BreadthVerdict::refused;
  const bool right = score.faults.empty();
  if (status != DrawsStatus::usable)
    return right ? BreadthVerdict::right_warned : BreadthVerdict::wrong_warned;
  return right ? BreadthVerdict::right : BreadthVerdict::silently_wrong;
}

std::string name_of(BreadthVerdict verdict) {
  switch (verdict) {
    case BreadthVerdict::right:
      return "right";
    case BreadthVerdict::right_warned:
      return "right, warned";
    case BreadthVerdict::wrong_warned:
      return "wrong, warned";
    case BreadthVerdict::refused:
      return "refused";
    case BreadthVerdict::silently_wrong:
      return "silently wrong";
  }
  return {};
}

}  // namespace hunch
