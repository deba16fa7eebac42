#include "hunch/explore/find.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hunch {

namespace {

constexpr double half = 0.5;  // of its depth: a start whose value is predicted so well is explained

double log_posterior(const Lesson& lesson) {
  return lesson.log_likelihood + lesson.log_prior;
}

// Whether a position belongs to an optimum that is known: as far from it as most draws of its normal
// approximation, and no lower than that.
bool belongs_to(const Optimum& optimum, const Vector& position, double value) {
  const auto d = static_cast<double>(position.size());
  const double bulk = d + 4 * std::sqrt(d);  // of the squared distance, which is d +- sqrt(2 d)
  const Vector from = position - optimum.centre;
  return from.dot(optimum.covariance.llt().solve(from)) < bulk && value > optimum.log_posterior - bulk;
}

}  // namespace

Found find(const Parameters& parameters, const PriorBox& box, std::vector<Lesson>& lessons,
           const EvaluateBatch& evaluate, const FindOptions& options, std::uint64_t seed) {
  const Index d = parameters.dimension();
  const std::vector<Lesson> first = lessons;
  const std::int64_t most = 100 * d + 400;
  Found found{climb(parameters, box, first, lessons, evaluate, options, most, seed)};
  // Other climbs start where the best top explains least of what was found.
  const std::vector<double> unexplained = found.best.unexplained;
  std::vector<std::size_t> starts(first.size());
  std::iota(starts.begin(), starts.end(), 0);
  std::stable_sort(starts.begin(), starts.end(), [&](std::size_t a, std::size_t b) {
    return log_posterior(first[a]) > log_posterior(first[b]);
  });
  const std::size_t begun = starts.front();  // of the first climb
  std::stable_sort(starts.begin(), starts.end(),
                   [&](std::size_t a, std::size_t b) { return unexplained[a] > unexplained[b]; });
  const auto same_height = [d](const Climbed& a, const Climbed& b) {
    return std::abs(a.top.log_posterior - b.top.log_posterior) < 0.5 * static_cast<double>(d) + 3;
  };
  int reached = 1;  // how many climbs came to the best top
  const std::int64_t most_each = 2 * found.best.evaluations + 20;
  for (const std::size_t start : starts) {
    if (reached > 1 || found.climbs >= options.most_climbs || !(unexplained[start] > half)) break;
    const double height = log_posterior(first[start]);
    if (start == begun || !std::isfinite(height)) continue;
    // It sees nothing that is better than where it starts.
    std::vector<Lesson> below;
    for (const Lesson& lesson : first)
      if (!(log_posterior(lesson) > height)) below.push_back(lesson);
    const Climbed before = found.best;
    bool joined = false;
    const Climbed other = climb(parameters, box, below, lessons, evaluate, options, most_each,
                                seed + static_cast<std::uint64_t>(found.climbs) * 0x9e3779b97f4a7c15ULL,
                                [&](const Vector& position, double value) {
                                  return joined = belongs_to(before.top, position, value);
                                });
    ++found.climbs;
    if (joined) {
      ++reached;
      continue;
    }
    if (other.ending == Climbed::Ending::not_found && other.top.log_posterior <= before.top.log_posterior)
      continue;
    if (same_height(other, before)) {
      ++reached;
      found.others.push_back(other);
    } else if (other.top.log_posterior > before.top.log_posterior) {
      found.others.push_back(before);
      found.best = other;
      reached = 1;
    } else {
      found.others.push_back(other);
    }
  }
  found.confirmed = found.climbs == 1 || reached > 1;
  return found;
}

}  // namespace hunch
