#include "hunch/run/audited.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/run/assembly.hpp"

namespace hunch {

namespace {

constexpr int most_stages = 5;
constexpr Index audits_each = 12;
// In posterior sds. Where the fit asks for less, the likelihood changes within a small part of the
// posterior's width, as one with a jump does, and a dozen audits say nothing of what lies between the
// evaluations.
constexpr double shortest_lengthscale = 0.45;
// Between two draws of one walker: several autocorrelation times of a random walk.
Index sweeps_between_draws(Index dimension) {
  return 30 + 30 * dimension;
}

struct Findings {
  std::vector<Audit> audits;
  std::vector<Lesson> lessons;
  Vector weights;  // of the audits, as draws that stand for G; they sum to one
};

double weighted_mean(const Vector& weights, const Vector& values) {
  return weights.dot(values);
}

// Half of the audits are draws of the bulk, half of the tails; the surrogate is not told before all are in.
Findings audit(const Explorer& explorer, const EvaluateBatch& pay, std::uint64_t seed, std::uint64_t stage) {
  const Survey& survey = explorer.survey();
  Rng rng({seed, 1, stage, Purpose::audit});
  std::vector<Vector> positions;
  Findings found;
  found.weights.resize(audits_each);
  for (Index i = 0; i < audits_each; ++i) {
    const Index at = random_draw(survey, i % 2 == 0 ? Part::bulk : Part::tails, positions, rng);
    positions.push_back(survey.cloud.positions.col(at));
    found.weights[i] = survey.cloud.weights[at];
  }
  found.weights /= found.weights.sum();
  Matrix columns(positions[0].size(), audits_each);
  for (Index i = 0; i < audits_each; ++i) columns.col(i) = positions[static_cast<std::size_t>(i)];
  const Vector predicted = explorer.landscape().values(columns);
  const Vector deviations = explorer.landscape().deviations(columns);
  found.lessons = pay(positions);
  for (Index i = 0; i < audits_each; ++i)
    found.audits.push_back(
        {found.lessons[static_cast<std::size_t>(i)].log_likelihood - predicted[i], deviations[i]});
  return found;
}

// The error that matters to the posterior: weighted, and about its mean, because a constant does not.
double error_found(const Findings& found) {
  Vector errors(audits_each);
  for (Index i = 0; i < audits_each; ++i) errors[i] = found.audits[static_cast<std::size_t>(i)].error;
  const double mean = weighted_mean(found.weights, errors);
  return std::sqrt(weighted_mean(found.weights, (errors.array() - mean).square().matrix()));
}

double error_claimed(const Findings& found) {
  double squares = 0;
  for (Index i = 0; i < audits_each; ++i)
    squares += found.weights[i] * std::pow(found.audits[static_cast<std::size_t>(i)].deviation, 2);
  return std::sqrt(squares);
}

// The most pessimistic of three views: of these audits, of all recent ones, and of these by weight.
double stern_calibration(const std::vector<Audit>& earlier, const Findings& found) {
  std::vector<Audit> all = earlier;
  all.insert(all.end(), found.audits.begin(), found.audits.end());
  const double claimed = std::max(error_claimed(found), 1e-3);
  const double by_weight = std::sqrt((4 + audits_each * std::pow(error_found(found) / claimed, 2)) /
                                     (4 + static_cast<double>(audits_each)));
  return std::max(
      {calibration(all, 15 + found.audits.size()), calibration(found.audits, audits_each), by_weight});
}

struct Answer {
  Vector mean;
  Vector sd;
};
Answer answer(const Matrix& quantities, const Vector& weights) {
  const Vector mean = quantities * weights;
  const Vector variance = (quantities.colwise() - mean).cwiseAbs2() * weights;
  return {mean, variance.cwiseSqrt()};
}

// In sds and log sds, the largest.
double difference(const Answer& before, const Answer& after) {
  return std::max((after.mean - before.mean).cwiseQuotient(before.sd).cwiseAbs().maxCoeff(),
                  (after.sd.array() / before.sd.array()).log().abs().maxCoeff());
}

// The same draws for a surrogate that has changed its mind about them.
Cloud seen_by(const Landscape& landscape, const Cloud& cloud, const Vector& change) {
  Cloud result = cloud;
  result.weights = (cloud.weights.array() * (change.array() - change.maxCoeff()).exp()).matrix();
  result.weights /= result.weights.sum();
  result.covariance = landscape.joint(cloud.positions).covariance;
  return result;
}

double movement(const Cloud& before, const Cloud& after) {
  return difference(answer(before.quantities, before.weights), answer(after.quantities, after.weights));
}

// Whether the long walks that made the draws stayed where the survey's short ones were. If not, they found a
// place that no audit has seen and that the surrogate most likely made up. By positions, and by the
// parameters themselves, of whose far tails a logarithm shows little. Both are Monte Carlo.
bool stayed(const Parameters& parameters, const Cloud& cloud, const std::vector<ChainResult>& chains) {
  const Index length = chains[0].positions.rows();
  const auto n = static_cast<Index>(chains.size()) * length;
  Matrix draws(cloud.positions.rows(), n);
  for (std::size_t c = 0; c < chains.size(); ++c)
    draws.middleCols(static_cast<Index>(c) * length, length) = chains[c].positions.transpose();
  Matrix quantities(draws.rows(), n);
  for (Index i = 0; i < n; ++i) quantities.col(i) = parameters.theta(draws.col(i));
  const Vector even = Vector::Constant(n, 1 / static_cast<double>(n));
  const double most = 0.25 + 4 / std::sqrt(static_cast<double>(n));
  return difference(answer(cloud.positions, cloud.weights), answer(draws, even)) < most &&
         difference(answer(cloud.quantities, cloud.weights), answer(quantities, even)) < most;
}

// Draws of the surrogate, dealt to the chains.
std::vector<ChainResult> deal(Explorer& explorer, const RunSettings& settings, std::size_t chains) {
  const Landscape& landscape = explorer.landscape();
  const Index d = landscape.frame().centre.size();
  const auto count = static_cast<Index>(chains) * settings.draws;
  const Matrix positions = explorer.surveyor().draws(landscape, count, sweeps_between_draws(d));
  const Vector log_g = explorer.surveyor().density(landscape, 1)(positions);
  std::vector<ChainResult> results;
  for (std::size_t c = 0; c < chains; ++c) {
    ChainResult result = empty_result(settings.draws, d, RandomWalk{Vector()});
    for (Index i = 0; i < settings.draws; ++i) {
      const Index from = i * static_cast<Index>(chains) + static_cast<Index>(c);
      result.positions.row(i) = positions.col(from).transpose();
      result.log_posterior[i] = log_g[from];
      result.stage1_probability[i] = 1;
      result.accepted[static_cast<std::size_t>(i)] = true;
    }
    result.kept = {settings.draws, settings.draws, 0, 0};
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

AuditedDraws draw_audited(Explorer& explorer, const Parameters& parameters, const RunSettings& settings,
                          std::size_t chains, std::int64_t evaluations, const EvaluateBatch& pay) {
  AuditedDraws outcome;
  Certificate& certificate = outcome.certificate;
  const double tolerance = settings.tolerance;
  Landscape& landscape = explorer.landscape();
  std::string last_reason;
  for (int stage = 0; stage < most_stages; ++stage) {
    if (explorer.learn({.evaluations = evaluations, .tolerance = tolerance}) == Explorer::Result::gave_up) {
      certificate.reason = "after " + std::to_string(explorer.landscape().lessons().size()) +
                           " evaluations the surrogate does not know every mean and sd to the tolerance";
      return outcome;
    }
    const Survey before = explorer.survey();
    const Findings found = audit(explorer, pay, settings.seed, static_cast<std::uint64_t>(stage));
    certificate.audits += audits_each;
    certificate.error_found = error_found(found);
    certificate.error_claimed = error_claimed(found);
    const double factor = stern_calibration(explorer.audits(), found);
    // The audits are evaluations like any other: draws are made with them, so the bounds are of what they
    // leave unknown. They must not move the answer.
    const Vector values = landscape.values(before.cloud.positions);
    explorer.absorb(found.lessons);
    explorer.remember(found.audits);
    landscape.rebuild();
    const Vector change = landscape.values(before.cloud.positions) - values;
    const Cloud after = seen_by(landscape, before.cloud, change);
    const Vector bounds = moment_error_bounds(after, factor * explorer.doubt());
    const double moved = movement(before.cloud, after);
    const bool believable = certificate.error_found < 4 * std::max(certificate.error_claimed, 0.02) &&
                            bounds.maxCoeff() < tolerance && moved < tolerance;
    last_reason = "in the end the audits found errors beyond what the surrogate claimed";
    if (!believable) continue;
    if (landscape.covariance().lengthscales.minCoeff() < shortest_lengthscale) {
      last_reason = "the likelihood seems to jump, or to change within a small part of the posterior's width";
      continue;
    }
    std::vector<ChainResult> drawn = deal(explorer, settings, chains);
    if (!stayed(parameters, before.cloud, drawn)) {
      last_reason = "the surrogate's draws left what was audited: it had made up a place";
      continue;
    }
    const Index d = bounds.size() / 2;
    certificate.verdict = Certificate::Verdict::passed;
    for (Index j = 0; j < d; ++j) {
      certificate.mean_bounds.push_back(std::max(bounds[j], moved));
      certificate.sd_bounds.push_back(std::max(bounds[d + j], moved));
    }
    outcome.chains = std::move(drawn);
    return outcome;
  }
  certificate.reason = "audited " + std::to_string(most_stages) + " times, and " + last_reason;
  return outcome;
}

}  // namespace hunch
