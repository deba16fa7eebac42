#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/explore/find.hpp"
#include "hunch/explore/local_quadratic.hpp"
#include "hunch/explore/tilted_quadratic.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

namespace {

constexpr double least_drop = 0.5;  // nats: a region no deeper than this is as small as regions get
constexpr double widest_axis = 2;   // prior sds
constexpr double farthest = 7;      // prior sds from a proper prior's middle
constexpr double too_close = 0.1;   // region's radii: a point so near another tells nothing new
constexpr int most_failed_tests = 3;

// A model's maximum, with its normal approximation, in z.
struct Top {
  Vector centre;
  Matrix covariance;
  double promised;                                 // nats above the best evaluation
  std::function<double(const Vector& z)> predict;  // log posterior
  // Whether the model leads from a point to this top; it may have others.
  std::function<bool(const Vector& start, const Top& top)> leads_here;
};

Matrix inverse_of_positive(const Matrix& precision) {
  return precision.llt().solve(Matrix::Identity(precision.rows(), precision.cols()));
}

class Climb {
 public:
  Climb(const Parameters& parameters, const PriorBox& box, const EvaluateBatch& evaluate, Index width,
        std::uint64_t seed)
      : parameters_(parameters), box_(box), evaluate_(evaluate), width_(width), seed_(seed) {
    limit_ = Vector::Constant(parameters.dimension(), farthest);
    for (Index j = 0; j < limit_.size(); ++j)
      if (!is_proper(parameters.list()[static_cast<std::size_t>(j)].prior)) limit_[j] = infinity;
  }

  Climbed operator()(const std::vector<Lesson>& first, std::vector<Lesson>& lessons,
                     std::int64_t most_evaluations,
                     const std::function<bool(const Vector&, double)>& ends_at);

 private:
  Index dimension() const { return box_.centre.size(); }
  double tolerance() const { return 1 + 0.1 * static_cast<double>(dimension()); }
  double bulk_depth() const { return 0.5 * static_cast<double>(dimension()) + 2; }
  Vector position(const Vector& z) const { return box_.centre + box_.width.cwiseProduct(z); }
  double log_prior(const Vector& z) const { return parameters_.log_prior(position(z)); }
  const SearchPoint& best() const { return points_[best_]; }
  Vector to_y(const Vector& z) const { return region_.metric.partialPivLu().solve(z - region_.origin); }
  Vector to_z(const Vector& y) const { return region_.origin + region_.metric * y; }
  bool within_limits(const Vector& z) const { return (z.cwiseAbs().array() <= limit_.array()).all(); }
  Vector limited(const Vector& z) const;

  void add(const Lesson& lesson);
  void evaluate(const std::vector<Vector>& zs, std::vector<Lesson>& lessons);
  void fit();
  void fit_tilt();
  std::optional<Top> top_of_tilt(const Vector& from) const;
  std::optional<Top> top_of_quadratic() const;
  std::optional<Top> top() const;
  bool passes_test(const Top& top, std::vector<Lesson>& lessons);
  Vector best_step() const;
  std::vector<Vector> batch();
  void learn_from(double before, double promised);
  bool region_is_too_wide() const;
  void size_region();
  void reshape_region();

  const Parameters& parameters_;
  const PriorBox& box_;
  const EvaluateBatch& evaluate_;
  Index width_;
  std::uint64_t seed_;
  Vector limit_;

  std::vector<SearchPoint> points_;
  std::vector<double> log_priors_;
  std::size_t best_ = 0;
  SearchRegion region_;
  double drop_ = 1;  // nats by which the models fall from the origin to the region's boundary
  double size_ = 1;  // of the region: drop_ as a multiple of the best few points' depth
  double depth_scale_ = 1;
  double relative_error_ = 0.3;
  double surprise_ = 1;  // rms standardised error of recent predictions, at least 1
  std::vector<double> standardised_;
  std::optional<LocalQuadratic> quadratic_;
  std::optional<TiltedQuadratic> tilt_;
  std::optional<Top> tilted_top_;
  std::size_t scanned_at_ = 0;
  int tilt_misses_ = 0;
  int tilt_pause_ = 0;
  bool tilt_kept_promise_ = false;
  int tests_ = 0;
  int tests_without_gain_ = 0;
  Index without_gain_ = 0;  // evaluations
  bool won_at_boundary_ = false;
  bool failed_ = false;
  std::uint64_t rounds_ = 0;
};

// Back along the way from the best point: to cut off coordinates would leave a ridge.
Vector Climb::limited(const Vector& z) const {
  const Vector way = z - best().z;
  double share = 1;
  for (Index j = 0; j < z.size(); ++j)
    if (std::abs(z[j]) > limit_[j])
      share = std::min(share, (std::copysign(limit_[j], way[j]) - best().z[j]) / way[j]);
  return best().z + std::max(0.0, share) * way;
}

void Climb::add(const Lesson& lesson) {
  SearchPoint point{(lesson.position - box_.centre).cwiseQuotient(box_.width),
                    lesson.log_likelihood + lesson.log_prior, std::nullopt};
  if (!(point.value > -infinity)) point.value = -infinity;
  if (lesson.gradient && std::isfinite(point.value))
    point.gradient =
        (*lesson.gradient + parameters_.log_prior_gradient(lesson.position)).cwiseProduct(box_.width);
  points_.push_back(std::move(point));
  log_priors_.push_back(lesson.log_prior);
  if (points_.back().value > best().value) best_ = points_.size() - 1;
}

void Climb::evaluate(const std::vector<Vector>& zs, std::vector<Lesson>& lessons) {
  std::vector<Vector> positions;
  for (const Vector& z : zs) positions.push_back(position(z));
  for (const Lesson& lesson : evaluate_(positions)) {
    add(lesson);
    lessons.push_back(lesson);
  }
}

void Climb::fit() {
  depth_scale_ = depth_scale(depths(points_), dimension());
  double error = relative_error_;
  quadratic_.emplace(points_, region_, depth_scale_, 10 * std::max(drop_, depth_scale_), error);
  relative_error_ = error;
}

// Where the noise scale is a parameter, the tilted model knows the top from far away.
void Climb::fit_tilt() {
  tilted_top_.reset();
  if (tilt_pause_ > 0) {
    --tilt_pause_;
    return;
  }
  std::vector<SearchPoint> likelihoods = points_;
  std::vector<double> errors = depths(points_);
  for (std::size_t i = 0; i < likelihoods.size(); ++i) {
    likelihoods[i].value -= log_priors_[i];
    errors[i] = std::isfinite(points_[i].value) ? errors[i] + depth_scale_ : infinity;
  }
  const bool scan = !tilt_ || 5 * points_.size() >= 6 * scanned_at_;
  if (scan && 5 * points_.size() < 6 * scanned_at_) return;
  if (scan) scanned_at_ = points_.size();
  tilt_ = TiltedQuadratic::fit(likelihoods, best().z, errors, box_.width, scan ? std::nullopt : tilt_);
  if (tilt_) tilted_top_ = top_of_tilt(best().z);
}

// By damped Newton steps; none unless it converges to a concave point within the prior.
std::optional<Top> Climb::top_of_tilt(const Vector& from) const {
  const Index d = dimension();
  const auto gradient = [&](const Vector& z) -> Vector {
    return tilt_->gradient(z) + parameters_.log_prior_gradient(position(z)).cwiseProduct(box_.width);
  };
  const auto value = [&](const Vector& z) { return tilt_->value(z) + log_prior(z); };
  // Priors are independent: their part of the Hessian is diagonal.
  const auto hessian = [&](const Vector& z) {
    constexpr double h = 1e-4;
    const Vector step = Vector::Constant(d, h);
    const Vector above = parameters_.log_prior_gradient(position(z + step)).cwiseProduct(box_.width);
    const Vector below = parameters_.log_prior_gradient(position(z - step)).cwiseProduct(box_.width);
    Matrix result = tilt_->hessian(z);
    result.diagonal() += (above - below) / (2 * h);
    return result;
  };
  Vector z = from;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const Vector slope = gradient(z);
    const Matrix curvature = hessian(z);
    if (!slope.allFinite() || !curvature.allFinite()) return std::nullopt;
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(-curvature);
    const double floor = 1e-12 * eigen.eigenvalues().cwiseAbs().maxCoeff();
    const Vector along = eigen.eigenvectors().transpose() * slope;
    Vector step = eigen.eigenvectors() *
                  along.cwiseQuotient(eigen.eigenvalues().cwiseAbs().cwiseMax(std::max(floor, 1e-300)));
    const double gain = 0.5 * slope.dot(step);
    if (eigen.eigenvalues()[0] > floor && gain < 1e-3) {
      z += step;
      if (!within_limits(z)) return std::nullopt;
      const Matrix last = -hessian(z);
      if (last.llt().info() != Eigen::Success) return std::nullopt;
      // The model's own error at the best point is no promise.
      return Top{z, inverse_of_positive(last), value(z) - value(best().z),
                 [tilt = *tilt_, this](const Vector& at) { return tilt.value(at) + log_prior(at); },
                 [this](const Vector& start, const Top& top) {
                   const std::optional<Top> other = top_of_tilt(start);
                   if (!other) return false;
                   const Vector apart = other->centre - top.centre;
                   return apart.dot(top.covariance.llt().solve(apart)) < 1;
                 }};
    }
    const double tilted = std::abs(tilt_->rate() * step[tilt_->axis()]);
    step *= std::min({1.0, 1.5 / std::max(tilted, 1e-300), 2 / std::max(step.norm(), 1e-300)});
    while (!(value(z + step) >= value(z)) && step.norm() > 1e-9) step *= 0.5;
    z += step;
  }
  return std::nullopt;
}

std::optional<Top> Climb::top_of_quadratic() const {
  const Matrix precision = -quadratic_->hessian();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(precision);
  for (Index k = 0; k < dimension(); ++k)
    if (!(eigen.eigenvalues()[k] > 2 * surprise_ * quadratic_->curvature_sd(eigen.eigenvectors().col(k))))
      return std::nullopt;
  const Vector y = precision.llt().solve(quadratic_->gradient());
  const double level = best().value;
  return Top{to_z(y), region_.metric * inverse_of_positive(precision) * region_.metric.transpose(),
             quadratic_->mean(y) - quadratic_->mean(Vector::Zero(dimension())),
             [quadratic = *quadratic_, region = region_, level](const Vector& z) {
               return level + quadratic.mean(region.metric.partialPivLu().solve(z - region.origin));
             },
             [](const Vector&, const Top&) { return true; }};
}

// A place from which no model promises more, if there is one.
std::optional<Top> Climb::top() const {
  if (tilted_top_ && tilt_kept_promise_) {
    if (tilted_top_->promised < tolerance()) return tilted_top_;
    return std::nullopt;
  }
  if (std::optional<Top> found = top_of_quadratic(); found && found->promised < tolerance()) return found;
  return std::nullopt;
}

// Draws of the normal approximation, evaluated: does the model know them?
bool Climb::passes_test(const Top& top, std::vector<Lesson>& lessons) {
  const Index d = dimension();
  const Index n = std::max(width_, d + 2);
  Rng rng({seed_, 1, static_cast<std::uint64_t>(points_.size()), Purpose::pilot});
  const Matrix root = top.covariance.llt().matrixL();
  std::vector<Vector> zs = {limited(top.centre)};
  while (static_cast<Index>(zs.size()) < n) zs.push_back(limited(top.centre + root * rng.normal(d)));
  const double before = best().value;
  const std::size_t from = points_.size();
  evaluate(zs, lessons);
  double squares = 0;
  for (std::size_t i = 0; i < zs.size(); ++i) {
    const double error = points_[from + i].value - top.predict(zs[i]);
    squares += std::isfinite(error) ? error * error : infinity;
  }
  const double limit = 0.5 * std::sqrt(std::max(1.0, static_cast<double>(d) / 4));
  const double gain = best().value - before;
  if (std::sqrt(squares / static_cast<double>(n)) < limit && gain < tolerance()) return true;
  ++tests_;
  tests_without_gain_ = gain > 0.5 * tolerance() ? 0 : tests_without_gain_ + 1;
  // A tilted model that is wrong about its own draws is not to be used for some rounds.
  if (tilted_top_) {
    tilt_pause_ = (1 << std::min(++tilt_misses_, 10)) - 1;
    tilt_kept_promise_ = false;
  }
  region_ = {best().z, std::sqrt(2 * bulk_depth()) * root};
  drop_ = bulk_depth();
  without_gain_ = 0;
  return false;
}

// The maximiser within the region at the radius where the model promises most, less its deviation.
Vector Climb::best_step() const {
  std::vector<double> radii = {0.25, 0.5, 0.75, 1};
  if (won_at_boundary_) radii.insert(radii.end(), {2, 4});
  if (relative_error_ < 0.01) radii.insert(radii.end(), {16, 1e6});
  Vector chosen;
  double highest = -infinity;
  for (const double radius : radii) {
    const Vector y = maximise_in_ball(quadratic_->gradient(), quadratic_->hessian(), radius);
    const double score = quadratic_->mean(y) - surprise_ * quadratic_->sd(y);
    if (!(score > highest) && chosen.size() > 0) continue;
    highest = score;
    chosen = y;
  }
  return chosen;
}

std::vector<Vector> Climb::batch() {
  const Index d = dimension();
  Rng rng({seed_, 0, static_cast<std::uint64_t>(points_.size()), Purpose::pilot});
  std::vector<Vector> zs;
  const auto full = [&] { return static_cast<Index>(zs.size()) >= width_; };
  const auto uniform_in_region = [&] {
    const Vector direction = rng.normal(d);
    return Vector(direction / direction.norm() * std::pow(rng.uniform(), 1 / static_cast<double>(d)));
  };
  const auto is_new = [&](const Vector& z) {
    const auto near = [&](const Vector& other) {
      return region_.metric.partialPivLu().solve(z - other).norm() < too_close;
    };
    return std::none_of(points_.begin(), points_.end(), [&](const SearchPoint& p) { return near(p.z); }) &&
           std::none_of(zs.begin(), zs.end(), near);
  };
  const auto offer = [&](const Vector& z) {
    if (full() || !z.allFinite()) return;
    const Vector within = limited(z);
    zs.push_back(is_new(within) ? within : limited(to_z(uniform_in_region())));
  };
  const auto thompson = [&] {
    const LocalQuadratic other = quadratic_->draw(rng);
    offer(to_z(maximise_in_ball(other.gradient(), other.hessian(), 1)));
  };
  if (tilted_top_) {
    offer(tilted_top_->centre);
    if (width_ > 1) offer(0.5 * (tilted_top_->centre + best().z));
  }
  if (width_ == 1 && failed_) thompson();
  const Vector step = best_step();
  offer(to_z(step));
  thompson();
  if (static_cast<Index>(points_.size()) > coefficients_of_quadratic(d))
    for (const double factor : {4.0, 0.25, 1e6})
      offer(to_z(maximise_in_ball(quadratic_->gradient(), quadratic_->hessian(), factor * step.norm())));
  while (!full()) thompson();
  return zs;
}

void Climb::learn_from(double before, double promised) {
  const double gain = best().value - before;
  const bool gained = gain > 0.1 * std::min(std::max(promised, 0.0), drop_) && gain > 0;
  failed_ = !gained;
  won_at_boundary_ = gained && to_y(best().z).norm() > 0.8;
  without_gain_ = gained ? 0 : without_gain_ + width_;
  if (won_at_boundary_) size_ *= 4;
  if (without_gain_ >= std::max(2 * (dimension() + 2), width_)) {
    size_ /= 4;
    without_gain_ = 0;
  }
  size_region();
}

// The model is sure of a step much shorter than the region: what else is chosen in it would be a waste.
bool Climb::region_is_too_wide() const {
  const Vector y = best_step();
  const double promised = quadratic_->mean(y) - quadratic_->mean(Vector::Zero(dimension()));
  return y.norm() < 0.25 && quadratic_->sd(y) < 0.5 * promised;
}

// By the depths of the best few points, which change as the climb goes on.
void Climb::size_region() {
  std::vector<double> deep = depths(points_);
  const std::size_t at = std::min(deep.size() / 2, static_cast<std::size_t>(2 * (dimension() + 1)));
  std::nth_element(deep.begin(), deep.begin() + static_cast<Index>(at), deep.end());
  size_ = std::min(size_, 16.0);
  drop_ = std::max(least_drop, size_ * deep[at]);
}

// Axes along the quadratic's own, as long as it takes to fall by `drop_` from the best point.
void Climb::reshape_region() {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(-quadratic_->hessian());
  const Vector slope = eigen.eigenvectors().transpose() *
                       Vector(quadratic_->gradient() + quadratic_->hessian() * to_y(best().z));
  Matrix metric = region_.metric * eigen.eigenvectors();
  for (Index k = 0; k < dimension(); ++k) {
    const double sd = std::min(drop_, quadratic_->curvature_sd(eigen.eigenvectors().col(k)));
    const double bend = std::max(1e-12, std::hypot(eigen.eigenvalues()[k], sd));
    const double g = std::abs(slope[k]);
    // bend s^2 / 2 + g s = drop, in a form without cancellation
    const double s = 2 * drop_ / (g + std::sqrt(g * g + 2 * bend * drop_));
    const double widest = widest_axis / std::max(metric.col(k).norm(), 1e-300);
    metric.col(k) *= std::min(std::clamp(s, 0.2, 5.0), widest);
  }
  region_ = {best().z, metric};
}

Climbed Climb::operator()(const std::vector<Lesson>& first, std::vector<Lesson>& lessons,
                          std::int64_t most_evaluations,
                          const std::function<bool(const Vector&, double)>& ends_at) {
  for (const Lesson& lesson : first) add(lesson);
  const std::size_t given = points_.size();
  std::vector<double> deep = depths(points_);
  std::nth_element(deep.begin(), deep.begin() + static_cast<Index>(given / 2), deep.end());
  drop_ = std::max(1.0, deep[given / 2]);
  region_ = {best().z, Matrix::Identity(dimension(), dimension())};
  std::optional<Top> last;
  const auto finish = [&](Climbed::Ending ending) {
    const Vector scale = box_.width;
    Climbed result{ending,
                   {position(best().z), best().value, position(best().z), Matrix()},
                   last ? std::max(0.0, last->promised) : infinity,
                   static_cast<std::int64_t>(points_.size() - given),
                   std::vector<double>(given, infinity)};
    Matrix covariance = last ? last->covariance : Matrix(region_.metric * region_.metric.transpose());
    if (last && ending == Climbed::Ending::normal) result.top.centre = position(last->centre);
    result.top.covariance = scale.asDiagonal() * covariance * scale.asDiagonal();
    const std::vector<double> depth = depths(points_);
    if (last)
      for (std::size_t i = 0; i < given; ++i)
        if (last->leads_here(points_[i].z, *last))
          result.unexplained[i] =
              (points_[i].value - last->predict(points_[i].z)) / (depth_scale_ + depth[i]);
    return result;
  };
  for (;; ++rounds_) {
    fit();
    for (int i = 0; i < 10 && drop_ > least_drop && region_is_too_wide(); ++i) {
      size_ /= 4;
      size_region();
      reshape_region();
      fit();
    }
    fit_tilt();
    if (const std::optional<Top> here = top()) {
      last = here;
      if (passes_test(*here, lessons)) return finish(Climbed::Ending::normal);
      if (tests_ >= most_failed_tests && tests_without_gain_ >= 2) return finish(Climbed::Ending::not_normal);
      continue;
    }
    if (static_cast<std::int64_t>(points_.size() - given) >= most_evaluations)
      return finish(Climbed::Ending::not_found);
    const std::vector<Vector> zs = batch();
    const double before = best().value;
    const double promised =
        tilted_top_ ? tilted_top_->promised
                    : quadratic_->mean(to_y(zs.front())) - quadratic_->mean(Vector::Zero(dimension()));
    const double predicted = tilted_top_ ? tilted_top_->predict(zs.front()) : 0;
    std::vector<double> means;
    std::vector<double> sds;
    for (const Vector& z : zs) {
      const Vector y = to_y(z);
      means.push_back(before + quadratic_->mean(y));
      sds.push_back(std::max(1e-3, quadratic_->sd(y)));
    }
    const std::size_t from = points_.size();
    evaluate(zs, lessons);
    for (std::size_t i = 0; i < zs.size(); ++i) {
      const double error = (points_[from + i].value - means[i]) / sds[i];
      standardised_.push_back(std::isfinite(error) ? std::min(std::abs(error), 100.0) : 100.0);
    }
    const auto recent =
        std::min(standardised_.size(), static_cast<std::size_t>(std::max(width_, dimension() + 2)));
    double squares = 0;
    for (std::size_t i = standardised_.size() - recent; i < standardised_.size(); ++i)
      squares += standardised_[i] * standardised_[i];
    surprise_ = std::max(1.0, std::sqrt(squares / static_cast<double>(recent)));
    if (tilted_top_) {
      const double error = std::abs(points_[from].value - predicted);
      tilt_kept_promise_ = error < 0.5 + 0.1 * std::abs(promised);
      if (tilt_kept_promise_)
        tilt_misses_ = 0;
      else
        tilt_pause_ = (1 << std::min(++tilt_misses_ - (width_ > 1 ? 1 : 0), 10)) - (width_ > 1 ? 1 : 0);
    }
    learn_from(before, promised);
    reshape_region();
    if (ends_at && ends_at(position(best().z), best().value)) return finish(Climbed::Ending::not_found);
  }
}

}  // namespace

Climbed climb(const Parameters& parameters, const PriorBox& box, const std::vector<Lesson>& first,
              std::vector<Lesson>& lessons, const EvaluateBatch& evaluate, const FindOptions& options,
              std::int64_t most_evaluations, std::uint64_t seed,
              const std::function<bool(const Vector& position, double log_posterior)>& ends_at) {
  return Climb(parameters, box, evaluate, options.width, seed)(first, lessons, most_evaluations, ends_at);
}

}  // namespace hunch
