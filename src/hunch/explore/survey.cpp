#include "hunch/explore/survey.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

constexpr Index walkers_each = 100;
constexpr Index collections = 3;
constexpr Index settling_sweeps = 30;
constexpr Index sweeps_between = 15;

// Bennett's bridge between G and G^(1/T) from draws of both, then each draw's weight as one of their even
// mixture, aimed at G.
Vector balanced_weights(const Vector& log_g, Index bulk, double temperature) {
  const Eigen::ArrayXd log_ratio = (log_g.array() - log_g.maxCoeff()) * (1 - 1 / temperature);
  double log_r = 0;  // log of the ratio of the two integrals
  for (int i = 0; i < 50; ++i) {
    const Eigen::ArrayXd ratio = (log_ratio - log_r).max(-700.0).exp();
    const double above = (ratio / (1 + ratio)).tail(log_g.size() - bulk).mean();
    const double below = (1 / (1 + ratio)).head(bulk).mean();
    const double step = std::log(std::max(above, 1e-12)) - std::log(std::max(below, 1e-12));
    log_r += step;
    if (std::abs(step) < 1e-6) break;
  }
  const Eigen::ArrayXd ratio = (log_ratio - log_r).max(-700.0).exp();
  const Vector weights = (ratio / (1 + ratio)).matrix();
  return weights / weights.sum();
}

// For one thread; the landscape must outlive it.
Region known_to(const Landscape& landscape, double deviation) {
  return [&landscape, deviation, room = std::make_shared<GaussianProcess::Workspace>()](const Vector& x) {
    return landscape.knows(x, deviation, *room);
  };
}

}  // namespace

Index random_draw(const Survey& survey, Part part, const std::vector<Vector>& taken, Rng& rng) {
  const Index first = part == Part::bulk ? 0 : survey.bulk;
  const Index among = part == Part::bulk ? survey.bulk : survey.cloud.positions.cols() - survey.bulk;
  Index at = first + static_cast<Index>(rng.below(static_cast<std::uint64_t>(among)));
  const auto is_taken = [&] {
    return std::any_of(taken.begin(), taken.end(),
                       [&](const Vector& position) { return survey.cloud.positions.col(at) == position; });
  };
  for (Index tried = 1; tried < among && is_taken(); ++tried) at = first + (at - first + 1) % among;
  return at;
}

LogDensities Surveyor::density(const Landscape& landscape, double temperature) const {
  return [this, &landscape, temperature](const Matrix& xs) -> Vector {
    Vector result = landscape.values(xs);
    for (Index i = 0; i < xs.cols(); ++i) {
      result[i] += parameters_.log_prior(xs.col(i));
      if (std::isnan(result[i])) result[i] = -infinity;
    }
    return result / temperature;
  };
}

// The first walkers come from the evaluations near the top and from around the frame's centre.
void Surveyor::wake(Population& walkers, const Landscape& landscape, double temperature, double trust,
                    Rng& rng) {
  const Region trusted = known_to(landscape, trust);
  const LogDensities flattened = density(landscape, temperature);
  const LogDensities restricted = [&](const Matrix& xs) {
    Vector result = flattened(xs);
    for (Index i = 0; i < xs.cols(); ++i)
      if (!trusted(xs.col(i))) result[i] = -infinity;
    return result;
  };
  if (walkers.size() > 0) {
    walkers.log_densities = restricted(walkers.positions);
    if (walkers.log_densities.maxCoeff() > -infinity) {
      walkers = pick(walkers.positions, restricted, walkers_each, rng);
      return;
    }
  }
  const Index d = landscape.frame().centre.size();
  std::vector<Vector> pool;
  for (const Lesson& lesson : landscape.lessons())
    if (landscape.depth(lesson) <= landscape.reach()) pool.push_back(lesson.position);
  for (Index i = 0; i < 2 * walkers_each; ++i)
    pool.push_back(landscape.frame().centre + landscape.frame().factor * rng.normal(d));
  Matrix columns(d, static_cast<Index>(pool.size()));
  for (std::size_t i = 0; i < pool.size(); ++i) columns.col(static_cast<Index>(i)) = pool[i];
  walkers = pick(columns, restricted, walkers_each, rng);
  evolve(walkers, flattened, trusted, 2 * settling_sweeps, rng);
}

Survey Surveyor::operator()(const Landscape& landscape) {
  Rng rng({seed_, 0, surveys_++, Purpose::survey});
  const Index d = parameters_.dimension();
  const double temperature = 1 + options_.flattening / std::sqrt(static_cast<double>(d));
  const Index each = collections * walkers_each;
  Survey survey;
  survey.bulk = each;
  survey.cloud.positions.resize(d, 2 * each);
  Vector log_g(2 * each);
  for (Index part = 0; part < 2; ++part) {
    Population& walkers = part == 0 ? bulk_ : tails_;
    const double t = part == 0 ? 1 : temperature;
    const double trust = part == 0 ? options_.trust : options_.tail_trust;
    const Region trusted = known_to(landscape, trust);
    const LogDensities flattened = density(landscape, t);
    wake(walkers, landscape, t, trust, rng);
    evolve(walkers, flattened, trusted, settling_sweeps, rng);
    for (Index k = 0; k < collections; ++k) {
      evolve(walkers, flattened, trusted, sweeps_between, rng);
      const Index at = part * each + k * walkers_each;
      survey.cloud.positions.middleCols(at, walkers_each) = walkers.positions;
      log_g.segment(at, walkers_each) = t * walkers.log_densities;
    }
  }
  survey.cloud.quantities.resize(d, 2 * each);
  for (Index i = 0; i < 2 * each; ++i)
    survey.cloud.quantities.col(i) = parameters_.theta(survey.cloud.positions.col(i));
  survey.cloud.weights = balanced_weights(log_g, each, temperature);
  survey.cloud.covariance = landscape.joint(survey.cloud.positions).covariance;
  return survey;
}

Matrix Surveyor::draws(const Landscape& landscape, Index count, Index sweeps) {
  Rng rng({seed_, 1, surveys_++, Purpose::survey});
  const LogDensities flattened = density(landscape, 1);
  const Region trusted = known_to(landscape, options_.trust);
  wake(bulk_, landscape, 1, options_.trust, rng);
  evolve(bulk_, flattened, trusted, settling_sweeps, rng);
  Matrix result(landscape.frame().centre.size(), count);
  for (Index at = 0; at < count; at += walkers_each) {
    evolve(bulk_, flattened, trusted, sweeps, rng);
    const Index n = std::min(walkers_each, count - at);
    result.middleCols(at, n) = bulk_.positions.leftCols(n);
  }
  return result;
}

}  // namespace hunch
