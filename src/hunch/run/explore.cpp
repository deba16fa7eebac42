#include "hunch/run/explore.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

namespace {

constexpr double certain = 2;    // nats: below this everywhere, walkers need no caution
constexpr double uncertain = 3;  // nats: above this somewhere, they do again
constexpr double a_new_top = 5;  // nats: a rise beyond this is another place to climb from
constexpr std::uint64_t most_fillings = 20;
// Of the depth within which evaluations count fully: where the first look around goes.
constexpr double lookout_share = 0.8;
constexpr Index fit_always_below = 60;
constexpr Index texture_from =
    40;  // evaluations before smooth and rough are told apart, and each 1.5 times more
constexpr int fit_iterations = 20;
constexpr double evaluation_noise_variance = 1e-6;  // square nats
// In posterior sds: single hills have lengthscales of 1.3 and more, two modes of .4 to 1.2, rarely more.
constexpr double lengthscale_of_hills = 1.25;

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

}  // namespace

double calibration(const std::vector<Audit>& audits, std::size_t last) {
  const std::size_t n = std::min(last, audits.size());
  double squares = 4;
  for (std::size_t i = audits.size() - n; i < audits.size(); ++i)
    squares += std::pow(audits[i].error / std::max(audits[i].deviation, 1e-3), 2);
  return std::sqrt(squares / (4 + static_cast<double>(n)));
}

Explorer::Explorer(const Parameters& parameters, PriorBox box, std::uint64_t seed, Pay pay,
                   LandscapeOptions options)
    : parameters_(parameters),
      box_(std::move(box)),
      seed_(seed),
      pay_(std::move(pay)),
      landscape_(Frame::of(box_.centre, box_.width.cwiseAbs2().asDiagonal()), options),
      surveyor_(parameters, seed),
      climbed_to_(-infinity) {}

void Explorer::find(const std::vector<Vector>& first) {
  landscape_.add(pay_(first));
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
    landscape_.add(pay_(fill_prior(parameters_, box_, 2 * d + 2, seed_ + (attempt << 32))));
  }
  climb_again();
}

void Explorer::climb_again() {
  std::vector<Lesson> lessons = landscape_.lessons();
  const std::size_t before = lessons.size();
  // An evaluation with its gradient tells so much that the next one should know it.
  const FindOptions options{.width = sloped() ? 1 : FindOptions().width};
  found_ = hunch::find(parameters_, box_, lessons, pay_, options, seed_);
  landscape_.add({lessons.begin() + static_cast<Index>(before), lessons.end()});
  landscape_.reframe(Frame::of(found_->best.top.centre, found_->best.top.covariance));
  landscape_.refit(fit_iterations);
  fitted_at_ = static_cast<Index>(landscape_.lessons().size());
  climbed_to_ = landscape_.best_log_posterior();
  caution_ = Caution::on;
}

void Explorer::look_around() {
  const Frame& frame = landscape_.frame();
  const Index d = parameters_.dimension();
  const double radius = std::sqrt(2 * lookout_share * landscape_.reach());
  std::vector<Vector> points;
  for (Index j = 0; j < d; ++j)
    for (const double side : {-radius, radius})
      points.emplace_back(frame.centre + side * frame.factor.col(j));
  landscape_.add(pay_(points));
}

void Explorer::absorb(const std::vector<Lesson>& lessons) {
  landscape_.add(lessons);
}

void Explorer::remember(const std::vector<Audit>& audits) {
  audits_.insert(audits_.end(), audits.begin(), audits.end());
}

double Explorer::doubt(double of_hills) const {
  return landscape_.covariance().lengthscales.minCoeff() < lengthscale_of_hills ? of_hills : 1;
}

void Explorer::refit() {
  const auto n = static_cast<Index>(landscape_.lessons().size());
  if (n >= texture_from && 2 * n >= 3 * textured_at_) {
    if (survey_.bulk > 0)
      landscape_.choose_scales(natural_scales(parameters_), survey_.cloud.positions, survey_.cloud.weights,
                               fit_iterations);
    landscape_.choose_texture(fit_iterations);
    textured_at_ = n;
  } else {
    landscape_.refit(fit_iterations);
  }
  fitted_at_ = static_cast<Index>(landscape_.lessons().size());
}

// Whether the surrogate's draws fill the frame as the posterior should: about one unit in every direction.
bool Explorer::fills_frame() const {
  const Moments shape = moments(survey_.cloud.positions, survey_.cloud.weights);
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
  survey_ = surveyor_(landscape_, caution_);
  if (fills_frame()) return;
  landscape_.reframe(survey_.cloud.positions, survey_.cloud.weights);
  refit();
  survey_ = surveyor_(landscape_, caution_);
}

// A surrogate that moves mass about, or has draws where it knows little, promises places where nothing is.
bool Explorer::as_sure_as(const Survey& before) const {
  return fills_frame() &&
         (survey_.largest_deviation < uncertain || survey_.largest_deviation < 2 * before.largest_deviation);
}

bool Explorer::look_closer(const std::vector<Lesson>& lessons) {
  const Landscape trusted = landscape_;
  const Survey before = survey_;
  const Surveyor::Walkers walkers = surveyor_.walkers();
  const auto survey = [&] {
    survey_ = surveyor_(landscape_, Caution::off);
    if (as_sure_as(before)) return true;
    surveyor_.send_back(walkers);
    return false;
  };
  landscape_.add(lessons);
  refit();
  if (survey()) return true;
  landscape_ = trusted;
  landscape_.add(lessons);
  landscape_.rebuild();
  if (survey()) return true;
  landscape_ = trusted;
  survey_ = before;
  return false;
}

// So many that tell most about the surrogate's draws, and last a random one, now of the bulk, now of the
// tails.
std::vector<Vector> Explorer::next_points(Index telling, About about) const {
  std::vector<Vector> points;
  const auto choose = about == About::moments && caution_ == Caution::off ? most_needed : most_telling;
  for (const Index i : choose(survey_.cloud, telling, evaluation_noise_variance))
    points.push_back(survey_.cloud.positions.col(i));
  Rng rng({seed_, 0, static_cast<std::uint64_t>(landscape_.lessons().size()), Purpose::audit});
  const Part part = audits_.size() % 2 == 0 ? Part::bulk : Part::tails;
  points.push_back(survey_.cloud.positions.col(random_draw(survey_, part, points, rng)));
  return points;
}

Explorer::Result Explorer::learn(const LearningGoal& goal) {
  for (;;) {
    if (landscape_.best_log_posterior() > climbed_to_ + a_new_top) climb_again();
    look_again();
    if (survey_.largest_deviation < certain) caution_ = Caution::off;
    if (survey_.largest_deviation > uncertain) caution_ = Caution::on;
    const double factor = calibration(audits_, 6) * doubt(goal.doubt_of_hills);
    const double worst = moment_error_bounds(survey_.cloud, factor).maxCoeff();
    const bool known = caution_ == Caution::off && worst < goal.moment_error &&
                       factor * typical_deviation(survey_.cloud) < goal.deviation;
    if (known && audits_.size() >= 5) return Result::learned;
    if (static_cast<std::int64_t>(landscape_.lessons().size()) >= goal.evaluations) return Result::gave_up;
    // With gradients it may know enough before it was audited enough; each round still widens what is
    // covered.
    const std::vector<Vector> points = next_points(known && sloped() ? 1 : each_round(), goal.about);
    const Matrix audited = points.back();
    const double predicted = landscape_.values(audited)[0];
    const double deviation = landscape_.deviations(audited)[0];
    const std::vector<Lesson> paid = pay_(points);
    audits_.push_back({paid.back().log_likelihood - predicted, deviation});
    landscape_.add(paid);
  }
}

}  // namespace hunch
