#include "hunch/explore/explorer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

namespace {

constexpr std::uint64_t most_fillings = 20;
// Evaluations before which every refit is worth its time; later, with a tenth as many again.
constexpr Index fit_always_below = 60;
constexpr int fit_iterations = 20;
constexpr double evaluation_noise_variance = 1e-6;  // square nats
constexpr std::size_t least_audits = 5;
constexpr std::size_t audits_counted = 6;  // the last ones

std::vector<Scale> natural_scales(const Parameters& parameters) {
  std::vector<Scale> scales;
  for (const Parameter& parameter : parameters.list()) {
    const Transform transform = transform_onto(support(parameter.prior));
    if (std::holds_alternative<LogAbove>(transform))
      scales.push_back(Scale::above);
    else if (std::holds_alternative<LogBelow>(transform))
      scales.push_back(Scale::below);
    else if (std::holds_alternative<Logit>(transform))
      scales.push_back(Scale::between);
    else
      scales.push_back(Scale::position);
  }
  return scales;
}

Vector equal_weights(Index count) {
  return Vector::Constant(count, 1 / static_cast<double>(count));
}

}  // namespace

double calibration(const std::vector<Audit>& audits, std::size_t last) {
  double squares = 4;
  double count = 4;
  for (std::size_t i = audits.size() - std::min(last, audits.size()); i < audits.size(); ++i) {
    if (!std::isfinite(audits[i].error)) continue;
    squares += std::pow(audits[i].error / std::max(audits[i].deviation, 1e-3), 2);
    ++count;
  }
  return std::sqrt(squares / count);
}

Explorer::Explorer(const Parameters& parameters, PriorBox box, std::uint64_t seed, EvaluateBatch evaluate,
                   const ExploreOptions& options)
    : parameters_(parameters),
      box_(std::move(box)),
      seed_(seed),
      evaluate_(std::move(evaluate)),
      options_(options),
      landscape_(Frame::of(box_.centre, box_.width.cwiseAbs2().asDiagonal())),
      surveyor_(parameters, seed, {options.trust, options.tail_trust, options.flattening}),
      climbed_to_(-infinity) {}

void Explorer::find(const std::vector<Vector>& first) {
  landscape_.add(evaluate_(first));
  // A slope needs a few points with a likelihood; a prior may be mostly outside the model's support.
  const Index d = parameters_.dimension();
  const auto possible = [&] {
    const auto& lessons = landscape_.lessons();
    return std::count_if(lessons.begin(), lessons.end(),
                         [](const Lesson& l) { return l.log_likelihood + l.log_prior > -infinity; });
  };
  for (std::uint64_t attempt = 1; possible() < 3; ++attempt) {
    if (attempt > most_fillings)
      throw InputError("the likelihood is zero at all but " + std::to_string(possible()) + " of " +
                       std::to_string(landscape_.lessons().size()) +
                       " draws from the prior; give start = ... for the parameters, or narrow their priors");
    landscape_.add(evaluate_(fill_prior(parameters_, box_, 2 * d + 2, seed_ + (attempt << 32))));
  }
  climb();
}

void Explorer::climb() {
  std::vector<Lesson> lessons = landscape_.lessons();
  const std::size_t before = lessons.size();
  // An evaluation with its gradient tells so much that the next one should know it.
  FindOptions options = options_.find;
  if (sloped()) options.width = 1;
  found_ = hunch::find(parameters_, box_, lessons, evaluate_, options, seed_, found_);
  landscape_.add({lessons.begin() + static_cast<Index>(before), lessons.end()});
  landscape_.reframe(Frame::of(found_->best.top.centre, found_->best.top.covariance));
  landscape_.refit(fit_iterations);
  fitted_at_ = static_cast<Index>(landscape_.lessons().size());
  climbed_to_ = landscape_.best_log_posterior();
}

void Explorer::absorb(const std::vector<Lesson>& lessons) {
  landscape_.add(lessons);
}

void Explorer::remember(const std::vector<Audit>& audits) {
  audits_.insert(audits_.end(), audits.begin(), audits.end());
}

double Explorer::error_where_it_counts() const {
  return calibration(audits_, audits_counted) *
         deviation_where_it_counts(survey_.cloud, survey_.cloud.covariance.diagonal());
}

double Explorer::doubt() const {
  const bool hills = landscape_.covariance().lengthscales.minCoeff() < options_.lengthscale_of_hills;
  return hills ? options_.doubt_of_hills : 1;
}

void Explorer::refit() {
  const auto n = static_cast<Index>(landscape_.lessons().size());
  // Scales are chosen once a slope and a curvature along each axis are known, and again with half as many
  // more.
  const Index seen = landscape_.size();
  if (seen >= 2 * parameters_.dimension() + 10 && 2 * seen >= 3 * scaled_at_ && survey_.bulk > 0) {
    const Matrix bulk = survey_.bulk_positions();
    landscape_.choose_scales(natural_scales(parameters_), bulk, equal_weights(bulk.cols()), fit_iterations);
    scaled_at_ = seen;
  } else {
    landscape_.refit(fit_iterations);
  }
  fitted_at_ = n;
}

// Whether the surrogate's draws, where it is trusted, fill the frame as the posterior should: about one unit
// in every direction.
bool Explorer::fills_frame() const {
  const Matrix bulk = survey_.bulk_positions();
  const Moments shape = moments(bulk, equal_weights(bulk.cols()));
  const Matrix& inverse = landscape_.frame().inverse;
  const Matrix whitened = inverse * shape.covariance * inverse.transpose();
  const Vector variances =
      Eigen::SelfAdjointEigenSolver<Matrix>(whitened, Eigen::EigenvaluesOnly).eigenvalues();
  return variances.minCoeff() > 0.4 && variances.maxCoeff() < 2.5;
}

void Explorer::rebuild_or_refit() {
  const auto n = static_cast<double>(landscape_.lessons().size());
  if (n < fit_always_below || n >= 1.1 * static_cast<double>(fitted_at_))
    refit();
  else
    landscape_.rebuild();
}

void Explorer::look_again() {
  rebuild_or_refit();
  survey_ = surveyor_(landscape_);
  if (fills_frame()) return;
  const Matrix bulk = survey_.bulk_positions();
  landscape_.reframe(bulk, equal_weights(bulk.cols()));
  refit();
  survey_ = surveyor_(landscape_);
}

// A draw's excursion is refused with a probability of about erf(s / 2) at a deviation of s nats, between two
// draws. As many more evaluations as are now chosen would make it less; they must save as many draws.
bool Explorer::knows_enough(const LearningGoal& goal, const Choice& next) const {
  if (audits_.size() < least_audits) return false;
  const double factor = calibration(audits_, audits_counted);
  if (goal.tolerance > 0)
    return moment_error_bounds(survey_.cloud, factor * doubt()).maxCoeff() < goal.tolerance;
  const auto accepted = [&](const Vector& variances) {
    return std::erfc(0.5 * factor * deviation_where_it_counts(survey_.cloud, variances));
  };
  const double now = accepted(survey_.cloud.covariance.diagonal());
  const double then = accepted(next.variances);
  // The expected number of evaluations for the draws is draws / accepted.
  return static_cast<double>(goal.draws) * (then - now) < static_cast<double>(next.positions.size()) * now;
}

// Each round, so many evaluations that tell most about the surrogate's draws, and last a random one, now of
// the bulk, now of the tails.
Explorer::Result Explorer::learn(const LearningGoal& goal) {
  const Wanted wanted = goal.tolerance > 0 ? Wanted::moments : Wanted::draws;
  for (;;) {
    if (landscape_.best_log_posterior() > climbed_to_ + options_.new_top) climb();
    look_again();
    const Choice next = choose_evaluations(survey_.cloud, wanted, each_round(), evaluation_noise_variance);
    if (knows_enough(goal, next)) return Result::learned;
    if (static_cast<std::int64_t>(landscape_.lessons().size()) >= goal.evaluations) return Result::gave_up;
    std::vector<Vector> points;
    for (const Index i : next.positions) points.push_back(survey_.cloud.positions.col(i));
    Rng rng({seed_, 0, static_cast<std::uint64_t>(landscape_.lessons().size()), Purpose::audit});
    const Part part = audits_.size() % 2 == 0 ? Part::bulk : Part::tails;
    points.push_back(survey_.cloud.positions.col(random_draw(survey_, part, points, rng)));
    const Matrix audited = points.back();
    const double predicted = landscape_.values(audited)[0];
    const double deviation = landscape_.deviations(audited)[0];
    const std::vector<Lesson> paid = evaluate_(points);
    audits_.push_back({paid.back().log_likelihood - predicted, deviation});
    landscape_.add(paid);
  }
}

}  // namespace hunch
