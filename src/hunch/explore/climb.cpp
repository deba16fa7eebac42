#include "hunch/explore/climb.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/explore/local_model.hpp"
#include "hunch/explore/tilted_quadratic.hpp"
#include "hunch/explore/trust_region.hpp"

namespace hunch {

namespace {

constexpr double too_close = 0.1;     // region's radii: a point so near another tells nothing new
constexpr int most_failed_tests = 2;  // in a row, without a gain
constexpr double largest_surprise = 100;
constexpr int candidates = 150;

// A model's maximum, with its normal approximation, in z.
struct Top {
  Vector centre;
  Matrix covariance;
  double promised;                                 // nats above the best evaluation
  std::function<double(const Vector& z)> predict;  // log posterior
  // Whether the model leads from a point to this top; it may have others.
  std::function<bool(const Vector& start)> leads_here;
};

class Climb {
 public:
  Climb(const SearchPrior& prior, const ClimbTask& task, std::vector<Lesson>& lessons,
        const EvaluateBatch& evaluate, Index width, std::uint64_t seed);
  Climbed operator()();

 private:
  struct Predicted {
    double mean;
    double sd;
    double distance;  // from the region's origin, in its radii
  };

  Index dimension() const { return prior_.box().centre.size(); }
  double tolerance() const { return 1 + 0.1 * static_cast<double>(dimension()); }
  double bulk_depth() const { return 0.5 * static_cast<double>(dimension()) + 2; }
  const SearchPoint& best() const { return points_[best_]; }
  std::int64_t evaluations() const { return static_cast<std::int64_t>(lessons_.size() - given_); }
  std::uint64_t address() const { return static_cast<std::uint64_t>(lessons_.size()); }

  void add(const Lesson& lesson);
  void see_what_is_lower();
  std::vector<double> evaluate(const std::vector<Vector>& zs);
  void fit();
  void fit_tilt();
  std::optional<Top> top_of_tilt() const;
  std::optional<Top> top_of_quadratic() const;
  std::optional<Top> top() const;
  bool passes_test(const Top& top);
  Vector best_step() const;
  bool region_is_too_wide() const;
  double expected_improvement(const Vector& y) const;
  std::vector<Vector> batch() const;
  void try_batch();
  void note_surprise(const std::vector<Predicted>& predicted, const std::vector<double>& values);
  void note_promise(double error, double promised);
  bool spent() const;
  Climbed finish(Climbed::Ending ending) const;

  const SearchPrior& prior_;
  const ClimbTask& task_;
  std::vector<Lesson>& lessons_;
  const EvaluateBatch& evaluate_;
  const Index width_;
  const std::uint64_t seed_;
  const std::size_t given_;

  std::vector<std::size_t> hidden_;  // lessons that are higher than the best point, descending
  std::vector<SearchPoint> points_;
  std::vector<double> log_priors_;
  std::size_t best_ = 0;
  std::optional<TrustRegion> region_;
  double depth_scale_ = 1;
  ModelErrors errors_;
  std::optional<LocalModel> model_;
  std::vector<double> standardised_;  // errors of predictions
  double surprise_ = 1;               // their rms of late, at least 1

  std::optional<TiltedQuadratic> tilt_;
  std::optional<Top> tilted_top_;
  std::size_t scanned_at_ = 0;  // points
  int tilt_misses_ = 0;
  int tilt_pause_ = 0;  // rounds
  bool tilt_kept_promise_ = false;

  std::optional<Top> last_;
  int failed_tests_ = 0;
  bool failed_ = false;  // the last batch gained nothing
};

Climb::Climb(const SearchPrior& prior, const ClimbTask& task, std::vector<Lesson>& lessons,
             const EvaluateBatch& evaluate, Index width, std::uint64_t seed)
    : prior_(prior),
      task_(task),
      lessons_(lessons),
      evaluate_(evaluate),
      width_(width),
      seed_(seed),
      given_(lessons.size()) {
  add(lessons[task.start]);
  for (std::size_t i = 0; i < given_; ++i)
    if (i != task.start) hidden_.push_back(i);
  std::stable_sort(hidden_.begin(), hidden_.end(), [&](std::size_t a, std::size_t b) {
    return log_posterior(lessons_[a]) > log_posterior(lessons_[b]);
  });
  see_what_is_lower();
  region_.emplace(best().z, depths(points_));
}

void Climb::add(const Lesson& lesson) {
  SearchPoint point{prior_.z(lesson.position), log_posterior(lesson), std::nullopt};
  if (lesson.gradient && std::isfinite(point.value))
    point.gradient = prior_.to_z_gradient(*lesson.gradient) + prior_.gradient(point.z);
  points_.push_back(std::move(point));
  log_priors_.push_back(lesson.log_prior);
  if (points_.back().value > best().value) best_ = points_.size() - 1;
}

void Climb::see_what_is_lower() {
  while (!hidden_.empty() && !(log_posterior(lessons_[hidden_.back()]) > best().value)) {
    add(lessons_[hidden_.back()]);
    hidden_.pop_back();
  }
}

std::vector<double> Climb::evaluate(const std::vector<Vector>& zs) {
  std::vector<Vector> positions;
  for (const Vector& z : zs) positions.push_back(prior_.position(z));
  std::vector<double> values;
  for (const Lesson& lesson : evaluate_(positions)) {
    add(lesson);
    lessons_.push_back(lesson);
    values.push_back(points_.back().value);
  }
  see_what_is_lower();
  return values;
}

void Climb::fit() {
  depth_scale_ = depth_scale(depths(points_), dimension());
  model_.emplace(points_, region_->region(), depth_scale_, std::max(region_->drop(), depth_scale_), errors_);
}

// Where the noise scale is a parameter, the tilted model knows the top from far away.
void Climb::fit_tilt() {
  tilted_top_.reset();
  if (tilt_pause_ > 0) {
    --tilt_pause_;
    return;
  }
  const bool grown = 5 * points_.size() >= 6 * scanned_at_;
  if (!tilt_ && !grown) return;
  std::vector<SearchPoint> likelihoods = points_;
  std::vector<double> errors = depths(points_);
  for (std::size_t i = 0; i < likelihoods.size(); ++i) {
    likelihoods[i].value -= log_priors_[i];
    errors[i] = std::isfinite(points_[i].value) ? errors[i] + depth_scale_ : infinity;
  }
  if (grown) scanned_at_ = points_.size();
  tilt_ =
      TiltedQuadratic::fit(likelihoods, best().z, errors, prior_.box().width, grown ? std::nullopt : tilt_);
  if (tilt_) tilted_top_ = top_of_tilt();
}

std::optional<Top> Climb::top_of_tilt() const {
  const std::optional<ConcaveTop> found = climb_to_top(*tilt_, prior_, best().z);
  if (!found) return std::nullopt;
  const auto value = [tilt = *tilt_, this](const Vector& z) { return tilt.value(z) + prior_.log_density(z); };
  // The model's own error at the best point is no promise.
  return Top{found->z, found->covariance, found->value - value(best().z), value,
             [tilt = *tilt_, found = *found, this](const Vector& start) {
               const std::optional<ConcaveTop> other = climb_to_top(tilt, prior_, start);
               if (!other) return false;
               const Vector apart = other->z - found.z;
               return apart.dot(found.covariance.llt().solve(apart)) < 1;
             }};
}

std::optional<Top> Climb::top_of_quadratic() const {
  const Quadratic& quadratic = model_->quadratic();
  const Matrix precision = -quadratic.hessian;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(precision);
  for (Index k = 0; k < dimension(); ++k)
    if (!(eigen.eigenvalues()[k] > 2 * surprise_ * model_->curvature_sd(eigen.eigenvectors().col(k))))
      return std::nullopt;
  const Vector y = model_->maximiser(std::max(1.0, 2 * precision.llt().solve(quadratic.gradient).norm()));
  const Matrix& metric = region_->region().metric;
  const Matrix covariance = precision.llt().solve(Matrix::Identity(dimension(), dimension()));
  return Top{region_->to_z(y), metric * covariance * metric.transpose(),
             model_->mean(y) - model_->mean(Vector::Zero(dimension())),
             [model = *model_, region = *region_, level = best().value](const Vector& z) {
               return level + model.mean(region.to_y(z));
             },
             [](const Vector&) { return true; }};
}

// A place from which no model promises more, if there is one.
std::optional<Top> Climb::top() const {
  const std::optional<Top> found = tilted_top_ && tilt_kept_promise_ ? tilted_top_ : top_of_quadratic();
  return found && std::abs(found->promised) < tolerance() ? found : std::nullopt;
}

// Draws of the normal approximation, evaluated: does the model predict them?
bool Climb::passes_test(const Top& top) {
  const Index d = dimension();
  // A gradient sees every direction.
  const Index n = std::max<Index>(width_, best().gradient ? 3 : d + 2);
  Rng rng({seed_, 1, address(), Purpose::pilot});
  const Matrix root = top.covariance.llt().matrixL();
  std::vector<Vector> zs = {prior_.shortened(best().z, top.centre)};
  while (static_cast<Index>(zs.size()) < n)
    zs.push_back(prior_.shortened(best().z, top.centre + root * rng.normal(d)));
  const double before = best().value;
  const std::vector<double> values = evaluate(zs);
  double squares = 0;
  for (std::size_t i = 0; i < zs.size(); ++i) {
    const double error = values[i] - top.predict(zs[i]);
    squares += std::isfinite(error) ? error * error : infinity;
  }
  // A direction that is flat, unseen, would add a squared error of .75 on average to n of them.
  const double limit = 0.5 * std::sqrt(std::max(1.0, static_cast<double>(d) / 4));
  const double gain = best().value - before;
  if (std::sqrt(squares / static_cast<double>(n)) < limit && gain < tolerance()) return true;
  failed_tests_ = gain > 0.5 * tolerance() ? 0 : failed_tests_ + 1;
  // A tilted model that is wrong about its own draws is not to be used for some rounds.
  if (tilted_top_) {
    tilt_pause_ = (1 << std::min(++tilt_misses_, 10)) - 1;
    tilt_kept_promise_ = false;
  }
  region_->set(best().z, root, bulk_depth());
  return false;
}

// The maximiser within the region at the radius where the model promises most, less its deviation.
Vector Climb::best_step() const {
  Vector chosen;
  double highest = -infinity;
  for (const double radius : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    const Vector y = model_->maximiser(radius);
    const double score = model_->mean(y) - surprise_ * model_->sd(y);
    if (!(score > highest) && chosen.size() > 0) continue;
    highest = score;
    chosen = y;
  }
  return chosen;
}

// The model is sure of a step much shorter than the region: what else is chosen in it would be a waste.
bool Climb::region_is_too_wide() const {
  const Vector y = best_step();
  const double promised = model_->mean(y) - model_->mean(Vector::Zero(dimension()));
  return y.norm() < 0.24 && model_->sd(y) < 0.5 * promised;
}

// Of the best value, by an evaluation at y: E max(0, f(y) - best).
double Climb::expected_improvement(const Vector& y) const {
  const double sd = std::max(1e-9, surprise_ * model_->sd(y));
  const double u = (model_->mean(y) - model_->mean(Vector::Zero(dimension()))) / sd;
  return sd * (std::exp(-0.5 * (u * u + log_two_pi)) + 0.5 * u * std::erfc(-u / std::sqrt(2.0)));
}

// First what the models believe in, then what they allow.
std::vector<Vector> Climb::batch() const {
  const Index d = dimension();
  Rng rng({seed_, 0, address(), Purpose::pilot});
  std::vector<Vector> zs;
  const auto full = [&] { return static_cast<Index>(zs.size()) >= width_; };
  const auto uniform_in_region = [&] {
    const Vector direction = rng.normal(d);
    return Vector(direction / direction.norm() * std::pow(rng.uniform(), 1 / static_cast<double>(d)));
  };
  const Eigen::PartialPivLU<Matrix> to_y(region_->region().metric);
  const auto is_new = [&](const Vector& z) {
    const auto near = [&](const Vector& other) { return to_y.solve(z - other).norm() < too_close; };
    return std::none_of(points_.begin(), points_.end(), [&](const SearchPoint& p) { return near(p.z); }) &&
           std::none_of(zs.begin(), zs.end(), near);
  };
  const auto offer = [&](const Vector& z) {
    if (full() || !z.allFinite()) return;
    const Vector within = prior_.shortened(best().z, z);
    zs.push_back(is_new(within) ? within : prior_.shortened(best().z, region_->to_z(uniform_in_region())));
  };
  const Vector peak = model_->maximiser(1);
  // Of random points between the region's best and anywhere in it, the one with the largest expected
  // improvement.
  const auto explore = [&] {
    Vector chosen;
    double largest = -1;
    for (int i = 0; i < candidates; ++i) {
      const double share = rng.uniform();
      const Vector y = share * peak + (1 - share) * uniform_in_region();
      const double gain = expected_improvement(y);
      if (!(gain > largest)) continue;
      largest = gain;
      chosen = y;
    }
    offer(region_->to_z(chosen));
  };
  if (tilted_top_) {
    offer(tilted_top_->centre);
    if (width_ > 1) offer(0.5 * (tilted_top_->centre + best().z));
  }
  if (width_ == 1 && failed_) explore();
  const Vector step = best_step();
  offer(region_->to_z(step));
  explore();
  if (static_cast<Index>(points_.size()) > coefficients_of_quadratic(d))
    for (const double factor : {4.0, 0.25}) offer(region_->to_z(model_->maximiser(factor * step.norm())));
  while (!full()) explore();
  return zs;
}

void Climb::try_batch() {
  const std::vector<Vector> zs = batch();
  const double before = best().value;
  std::vector<Predicted> predicted;
  for (const Vector& z : zs) {
    const Vector y = region_->to_y(z);
    predicted.push_back({before + model_->mean(y), std::max(1e-3, model_->sd(y)), y.norm()});
  }
  const double promised = tilted_top_ ? tilted_top_->promised : predicted[0].mean - before;
  const double told = tilted_top_ ? tilted_top_->predict(zs.front()) : 0;
  const std::vector<double> values = evaluate(zs);
  note_surprise(predicted, values);
  if (tilted_top_) note_promise(std::abs(values.front() - told), promised);
  const double gain = best().value - before;
  failed_ = !(gain > 0 && gain > 0.1 * std::min(std::max(promised, 0.0), region_->drop()));
  region_->record(!failed_, region_->to_y(best().z).norm(), width_, depths(points_));
  region_->reshape(best().z, *model_);
}

// Of points within the region: farther out a model claims nothing.
void Climb::note_surprise(const std::vector<Predicted>& predicted, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (predicted[i].distance > 1 + 1e-6) continue;
    const double error = std::abs(values[i] - predicted[i].mean) / predicted[i].sd;
    standardised_.push_back(std::isfinite(error) ? std::min(error, largest_surprise) : largest_surprise);
  }
  const auto recent =
      std::min(standardised_.size(), static_cast<std::size_t>(std::max(width_, dimension() + 2)));
  if (recent == 0) return;
  double squares = 0;
  for (std::size_t i = standardised_.size() - recent; i < standardised_.size(); ++i)
    squares += standardised_[i] * standardised_[i];
  surprise_ = std::max(1.0, std::sqrt(squares / static_cast<double>(recent)));
}

// One that missed is left out for ever longer; alone in a batch it would have cost all of it.
void Climb::note_promise(double error, double promised) {
  tilt_kept_promise_ = error < 0.5 + 0.1 * std::abs(promised);
  if (tilt_kept_promise_) {
    tilt_misses_ = 0;
    return;
  }
  const int spared = width_ > 1 ? 1 : 0;
  tilt_pause_ = (1 << std::min(++tilt_misses_ - spared, 10)) - spared;
}

bool Climb::spent() const {
  return evaluations() >= (best().value > task_.worth_more ? task_.most_if_worth : task_.most_evaluations);
}

Climbed Climb::finish(Climbed::Ending ending) const {
  const Vector& scale = prior_.box().width;
  const Matrix& metric = region_->region().metric;
  const Matrix covariance = last_ ? last_->covariance : Matrix(metric * metric.transpose());
  const Vector centre = last_ && ending == Climbed::Ending::normal ? last_->centre : best().z;
  Climbed result{ending,
                 {prior_.position(best().z), best().value, prior_.position(centre),
                  scale.asDiagonal() * covariance * scale.asDiagonal()},
                 last_ ? std::max(0.0, last_->promised) : infinity,
                 evaluations(),
                 std::vector<double>(given_, infinity)};
  if (!last_) return result;
  for (std::size_t i = 0; i < given_; ++i) {
    const Vector z = prior_.z(lessons_[i].position);
    const double value = log_posterior(lessons_[i]);
    if (last_->leads_here(z))
      result.unexplained[i] = (value - last_->predict(z)) / (depth_scale_ + best().value - value);
  }
  return result;
}

Climbed Climb::operator()() {
  for (;;) {
    fit();
    for (int i = 0; i < 10 && region_is_too_wide() && region_->shrink(depths(points_)); ++i) {
      region_->reshape(best().z, *model_);
      fit();
    }
    fit_tilt();
    if (const std::optional<Top> here = top()) {
      last_ = here;
      if (passes_test(*here)) return finish(Climbed::Ending::normal);
      if (failed_tests_ >= most_failed_tests) return finish(Climbed::Ending::not_normal);
    } else if (!spent()) {
      try_batch();
    }
    if (spent()) return finish(Climbed::Ending::not_found);
    if (task_.is_known && task_.is_known(prior_.position(best().z), best().value))
      return finish(Climbed::Ending::joined);
  }
}

}  // namespace

double log_posterior(const Lesson& lesson) {
  const double sum = lesson.log_likelihood + lesson.log_prior;
  return sum > -infinity ? sum : -infinity;
}

Climbed climb(const SearchPrior& prior, const ClimbTask& task, std::vector<Lesson>& lessons,
              const EvaluateBatch& evaluate, Index width, std::uint64_t seed) {
  return Climb(prior, task, lessons, evaluate, width, seed)();
}

}  // namespace hunch
