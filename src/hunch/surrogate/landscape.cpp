#include "hunch/surrogate/landscape.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hunch/core/moments.hpp"
#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

// Beyond this many reaches a point says only "low".
constexpr double censor_reaches = 3;
// Values are scaled so that the reach is at most this: the priors on hyperparameters are made for nats.
constexpr double comfortable_reach = 30;
constexpr double vaguest = 100;
// So many that a deviation known from them alone is a few microseconds' work.
constexpr Index most_sentries = 128;

// All but about 1e-9 of a normal in d dimensions lies above this depth: 18.7, 20.7, 24.6, 30.7 and 40.9 nats
// with 1, 2, 5, 10 and 20.
double least_reach(Index dimension) {
  return 20 + static_cast<double>(dimension);
}

Covariance first_guess(Index d) {
  Covariance covariance;
  covariance.signal_variance = 0.1;
  covariance.lengthscales = Vector::Constant(d, 1.5 + std::sqrt(static_cast<double>(d)));
  covariance.constant = covariance.bowl = vaguest * vaguest;
  covariance.quadratic = 1;
  return covariance;
}

FitResult fit_to(const Data& data, const std::vector<Covariance>& starts, int most_iterations) {
  return fit(starts, trend_priors(data.points.rows()), data, {most_iterations, 1e-5, 0});
}

// So many of them at most, evenly from first to last.
template <class Some>
std::vector<Some> thinned(std::vector<Some> all, Index most) {
  const auto kept = static_cast<std::size_t>(std::max<Index>(0, most));
  if (all.size() <= kept) return all;
  std::vector<Some> chosen;
  for (std::size_t k = 0; k < kept; ++k) chosen.push_back(all[k * all.size() / kept]);
  return chosen;
}

// A spread-out choice of columns: each the farthest from those before.
std::vector<Index> spread_out(const Matrix& points, Index most) {
  const Index n = points.cols();
  std::vector<Index> chosen;
  Vector nearest = Vector::Constant(n, infinity);  // squared distance to what is chosen already
  Index next = 0;
  while (static_cast<Index>(chosen.size()) < std::min(n, most)) {
    chosen.push_back(next);
    nearest = nearest.cwiseMin((points.colwise() - points.col(next)).colwise().squaredNorm().transpose());
    nearest.maxCoeff(&next);
  }
  return chosen;
}

}  // namespace

Landscape::Landscape(Frame frame, LandscapeOptions options)
    : frame_(std::move(frame)),
      lens_(frame_),
      options_(options),
      best_log_posterior_(-infinity),
      reach_(least_reach(frame_.centre.size())),
      hyper_(first_guess(frame_.centre.size())) {}

void Landscape::reframe(Frame frame) {
  frame_ = std::move(frame);
  lens_ = Lens(lens_.scales(), frame_);
}

void Landscape::reframe(const Matrix& positions, const Vector& weights) {
  const Moments shape = moments(positions, weights);
  frame_ = Frame::of(shape.mean, shape.covariance);
  lens_ = Lens(lens_.scales(), positions, weights);
}

void Landscape::add(const std::vector<Lesson>& lessons) {
  lessons_.insert(lessons_.end(), lessons.begin(), lessons.end());
  measure_depths();
}

void Landscape::measure_depths() {
  const Index d = frame_.centre.size();
  best_log_posterior_ = -infinity;
  for (std::size_t i = 0; i < lessons_.size(); ++i) {
    const double height = lessons_[i].log_likelihood + lessons_[i].log_prior;
    if (height > best_log_posterior_) {
      best_log_posterior_ = height;
      best_ = static_cast<Index>(i);
    }
  }
  std::vector<double> depths;
  for (const Lesson& lesson : lessons_)
    if (std::isfinite(depth(lesson))) depths.push_back(depth(lesson));
  if (depths.empty()) return;
  const auto enough = std::min(depths.size(), static_cast<std::size_t>(d + 3)) - 1;
  std::nth_element(depths.begin(), depths.begin() + static_cast<Index>(enough), depths.end());
  reach_ = std::max(least_reach(d), depths[enough]);
  unit_ = std::max(1.0, reach_ / comfortable_reach);
}

// Of points within the reach whose gradients the lens can see; of many, evenly from shallow to deep.
std::vector<Landscape::Slope> Landscape::slopes() const {
  std::vector<Slope> result;
  for (std::size_t i = 0; i < lessons_.size(); ++i) {
    const Lesson& lesson = lessons_[i];
    if (!lesson.gradient || !(depth(lesson) <= reach_)) continue;
    if (const auto seen = lens_.push_forward(lesson.position, *lesson.gradient / unit_))
      result.push_back({static_cast<Index>(i), *seen});
  }
  std::stable_sort(result.begin(), result.end(), [&](const Slope& a, const Slope& b) {
    return depth(lessons_[static_cast<std::size_t>(a.lesson)]) <
           depth(lessons_[static_cast<std::size_t>(b.lesson)]);
  });
  return thinned(std::move(result), options_.most_gradient_numbers / frame_.centre.size());
}

Landscape::Observations Landscape::observe(const std::vector<Index>& censored) const {
  const std::vector<Slope> sloped = slopes();
  std::vector<bool> has_slope(lessons_.size());
  std::vector<Index> chosen;
  for (const Slope& slope : sloped) {
    has_slope[static_cast<std::size_t>(slope.lesson)] = true;
    chosen.push_back(slope.lesson);
  }
  for (std::size_t i = 0; i < lessons_.size(); ++i)
    if (!has_slope[i] && depth(lessons_[i]) <= censor_reaches * reach_)
      chosen.push_back(static_cast<Index>(i));
  const std::size_t seen = chosen.size();
  chosen.insert(chosen.end(), censored.begin(), censored.end());
  const Index n = static_cast<Index>(chosen.size());
  const Index d = frame_.centre.size();
  Observations result;
  result.data = {Matrix(d, n), Vector(n), Matrix(d, static_cast<Index>(sloped.size())), Vector(n),
                 options_.gradient_noise * options_.gradient_noise};
  for (std::size_t k = 0; k < sloped.size(); ++k)
    result.data.gradients.col(static_cast<Index>(k)) = sloped[k].gradient;
  const double reference = best().log_likelihood;
  Vector z(d);
  for (Index k = 0; k < n; ++k) {
    const Lesson& lesson = lessons_[static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])];
    const bool is_seen = static_cast<std::size_t>(k) < seen;
    const double deep = is_seen ? depth(lesson) : censor_reaches * reach_;
    const double value = is_seen ? lesson.log_likelihood : best_log_posterior_ - deep - lesson.log_prior;
    const double noise = options_.noise + options_.tail_slope * std::max(0.0, deep - reach_) / unit_;
    lens_.look(lesson.position, z);
    result.data.points.col(k) = z;
    result.data.values[k] = (value - reference) / unit_;
    result.data.noise_variances[k] = noise * noise;
    if (deep <= reach_) result.clear.push_back(k);
  }
  return result;
}

// The level and the isotropic curvature are for the data to say.
void Landscape::set_vague_variances(const Data& seen) {
  const double spread = 2 * std::sqrt(seen.values.squaredNorm() / static_cast<double>(seen.values.size()));
  hyper_.constant = std::pow(std::max(vaguest, spread), 2);
  const double squares = 0.25 * seen.points.colwise().squaredNorm().array().square().mean();
  hyper_.bowl = hyper_.constant / std::max(squares, 1e-6);
}

void Landscape::build(const Data& seen) {
  const auto condition = [&](const Covariance& covariance) {
    process_ = GaussianProcess::condition(covariance, seen, 0, with_noise);
    mean_ = process_->mean_function();
  };
  condition(hyper_);
  if (mean_->bowl_curvature() > 0) {
    // A bowl that opens upwards would promise the most where the least is known.
    Covariance flat = hyper_;
    flat.bowl = 0;
    condition(flat);
  }
  choose_sentries();
}

void Landscape::rebuild() {
  std::vector<Index> censored;
  for (int pass = 0; pass < 4; ++pass) {
    const Data seen = observe(censored).data;
    set_vague_variances(seen);
    build(seen);
    if (pass == 3) return;
    const std::vector<Index> more = contradicted(censored);
    if (more.empty()) return;
    censored.insert(censored.end(), more.begin(), more.end());
  }
}

// Points known to be low, where the surrogate believes otherwise.
std::vector<Index> Landscape::contradicted(const std::vector<Index>& already) const {
  std::vector<Index> result;
  GaussianProcess::Workspace workspace;
  for (std::size_t i = 0; i < lessons_.size(); ++i) {
    const Lesson& lesson = lessons_[i];
    if (depth(lesson) <= censor_reaches * reach_) continue;
    if (std::find(already.begin(), already.end(), static_cast<Index>(i)) != already.end()) continue;
    if (value(lesson.position, workspace) + lesson.log_prior > best_log_posterior_ - censor_reaches * reach_)
      result.push_back(static_cast<Index>(i));
  }
  return result;
}

void Landscape::choose_sentries() {
  std::vector<Vector> good;
  for (const Lesson& lesson : lessons_)
    if (depth(lesson) <= reach_) lens_.look(lesson.position, good.emplace_back(lesson.position.size()));
  Matrix points(frame_.centre.size(), static_cast<Index>(good.size()));
  for (std::size_t i = 0; i < good.size(); ++i) points.col(static_cast<Index>(i)) = good[i];
  const std::vector<Index> chosen = spread_out(points, most_sentries);
  const auto kept = static_cast<Index>(chosen.size());
  const Data seen{points(Eigen::all, chosen), Vector::Zero(kept), Matrix(points.rows(), 0),
                  Vector::Constant(kept, options_.noise * options_.noise)};
  sentries_ = GaussianProcess::condition(process_->covariance(), seen, 0, with_noise);
}

// Within the reach, where there is no noise to speak of; of many, half of them spread out and half evenly
// from shallow to deep: chains add to the bulk alone, which says nothing of how the posterior ends. Gradients
// fill what room the values leave.
Data Landscape::for_fitting() const {
  const auto [all, clear] = observe({});
  std::vector<Index> order = clear;
  if (static_cast<Index>(order.size()) > options_.most_fitted) {
    std::vector<Index> others = order;
    std::vector<Index> spread;
    for (const Index k : spread_out(all.points(Eigen::all, order), options_.most_fitted / 2)) {
      spread.push_back(order[static_cast<std::size_t>(k)]);
      std::erase(others, spread.back());
    }
    std::stable_sort(others.begin(), others.end(),
                     [&values = all.values](Index a, Index b) { return values[a] > values[b]; });
    order = thinned(std::move(others), options_.most_fitted - static_cast<Index>(spread.size()));
    order.insert(order.end(), spread.begin(), spread.end());
  }
  const Index n = static_cast<Index>(order.size());
  const auto others =
      std::stable_partition(order.begin(), order.end(), [m = all.sloped()](Index i) { return i < m; });
  const std::vector<Index> sloped = thinned(std::vector<Index>(order.begin(), others),
                                            (options_.most_fitted_numbers - n) / all.points.rows());
  const auto m = static_cast<Index>(sloped.size());
  std::stable_partition(order.begin(), others,
                        [&](Index i) { return std::find(sloped.begin(), sloped.end(), i) != sloped.end(); });
  Data chosen = subset(all, order);
  chosen.gradients = Matrix(chosen.gradients.leftCols(m));
  return chosen;
}

void Landscape::refit(int most_iterations) {
  const Data chosen = for_fitting();
  set_vague_variances(chosen);
  Covariance other = first_guess(frame_.centre.size());
  other.signal_variance = 0.01;
  other.quadratic = 0.3;
  other.constant = hyper_.constant;
  other.bowl = hyper_.bowl;
  const FitResult fitted = fit_to(chosen, {hyper_, other}, most_iterations);
  if (std::isfinite(fitted.log_posterior)) hyper_ = fitted.covariance;
  rebuild();
}

void Landscape::choose_scales(const std::vector<Scale>& natural, const Matrix& positions,
                              const Vector& weights, int most_iterations) {
  const auto score = [&] {
    const Data chosen = for_fitting();
    set_vague_variances(chosen);
    return leave_one_out_score(fit_to(chosen, {hyper_}, most_iterations).covariance, chosen);
  };
  double best = score();
  for (std::size_t j = 0; j < natural.size(); ++j) {
    if (natural[j] == Scale::position) continue;
    const Lens before = lens_;
    std::vector<Scale> scales = before.scales();
    scales[j] = scales[j] == Scale::position ? natural[j] : Scale::position;
    lens_ = Lens(std::move(scales), positions, weights);
    const double other = score();
    if (other > best)
      best = other;
    else
      lens_ = before;
  }
  refit(most_iterations);
}

double Landscape::value(const Vector& x, GaussianProcess::Workspace& workspace) const {
  lens_.look(x, workspace.seen);
  return unit_ * mean_->value(workspace.seen, workspace) + best().log_likelihood;
}

double Landscape::value_and_gradient(const Vector& x, Vector& gradient,
                                     GaussianProcess::Workspace& workspace) const {
  lens_.look(x, workspace.seen);
  Vector& slope = workspace.slope;
  const double mean = mean_->value_and_gradient(workspace.seen, slope, workspace);
  slope *= unit_;
  lens_.pull_back(x, slope, gradient);
  return unit_ * mean + best().log_likelihood;
}

Vector Landscape::values(const Matrix& xs) const {
  return (unit_ * mean_->values(lens_.look(xs)).array() + best().log_likelihood).matrix();
}

bool Landscape::knows(const Vector& x, double deviation, GaussianProcess::Workspace& workspace) const {
  lens_.look(x, workspace.seen);
  const Vector& z = workspace.seen;
  const double most = deviation * deviation;  // in units: early on, when values differ by thousands, larger
  return sentries_->variance(z, workspace) <= most || process_->variance(z, workspace) <= most;
}

Vector Landscape::deviations(const Matrix& xs) const {
  return unit_ * process_->variances(lens_.look(xs)).cwiseSqrt();
}

GaussianProcess::Joint Landscape::joint(const Matrix& xs) const {
  GaussianProcess::Joint joint = process_->joint(lens_.look(xs));
  joint.means = values(xs);
  joint.covariance *= unit_ * unit_;
  return joint;
}

}  // namespace hunch
