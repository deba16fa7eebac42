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
constexpr double overflow_depth = 1e10;  // nats; so deep a value says no more than that it is low
// Nats: where the process claims less, it is trusted, and must not be wrong.
constexpr double trusted_deviation = 3;
// Of the exponential of a parameter: rates, for its width in the posterior, and variances to begin with.
constexpr double first_rates[] = {-1, -0.5, -0.25, 0.25, 0.5, 1};
constexpr double first_tilted[] = {1e-4, 1e-2, 1};
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
  return fit(starts, trend_priors(data.points.rows(), starts.front().is_tilted()), data,
             {most_iterations, 1e-5, 0});
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
  set_lens(Lens(lens_.scales(), frame_));
}

void Landscape::reframe(const Matrix& positions, const Vector& weights) {
  const Moments shape = moments(positions, weights);
  frame_ = Frame::of(shape.mean, shape.covariance);
  set_lens(Lens(lens_.scales(), positions, weights));
}

// The rate is one of positions.
void Landscape::set_lens(Lens lens) {
  if (tilted_) {
    const auto axis = [&](const Lens& seen) { return Vector(seen.frame().factor.row(*tilted_).transpose()); };
    const double rate = hyper_.axis.dot(axis(lens_)) / axis(lens_).squaredNorm();
    hyper_.axis = rate * axis(lens);
  }
  lens_ = std::move(lens);
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
    const bool has_value = is_seen || depth(lesson) < overflow_depth;
    const double deep = has_value ? depth(lesson) : censor_reaches * reach_;
    const double value = has_value ? lesson.log_likelihood : best_log_posterior_ - deep - lesson.log_prior;
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
  const Vector within = seen.values.cwiseAbs().cwiseMin(censor_reaches * reach_ / unit_);
  const double spread = 2 * std::sqrt(within.squaredNorm() / static_cast<double>(within.size()));
  hyper_.constant = std::pow(std::max(vaguest, spread), 2);
  std::vector<double> squares;
  for (const auto z : seen.points.colwise()) squares.push_back(z.squaredNorm());
  const auto middle = squares.begin() + static_cast<Index>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  hyper_.bowl = hyper_.constant / std::max(0.25 * *middle * *middle, 1e-6);
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

// Points known to be low, where the surrogate believes otherwise, and is trusted.
std::vector<Index> Landscape::contradicted(const std::vector<Index>& already) const {
  std::vector<Index> result;
  GaussianProcess::Workspace workspace;
  for (std::size_t i = 0; i < lessons_.size(); ++i) {
    const Lesson& lesson = lessons_[i];
    if (depth(lesson) <= censor_reaches * reach_) continue;
    if (std::find(already.begin(), already.end(), static_cast<Index>(i)) != already.end()) continue;
    if (value(lesson.position, workspace) + lesson.log_prior >
            best_log_posterior_ - censor_reaches * reach_ &&
        knows(lesson.position, trusted_deviation, workspace))
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
  Covariance other = hyper_;
  other.lengthscales = first_guess(frame_.centre.size()).lengthscales;
  other.signal_variance = 0.01;
  other.quadratic = 0.3;
  const FitResult fitted = fit_to(chosen, {hyper_, other}, most_iterations);
  if (std::isfinite(fitted.log_posterior)) hyper_ = fitted.covariance;
  rebuild();
}

// From a few points: of each parameter at each rate the likelihood is computed once, and the best is fitted.
// It must be better than none by more than the best of so many would be by chance.
void Landscape::choose_tilt(int most_iterations) {
  const Index d = frame_.centre.size();
  const Data all = for_fitting();
  std::vector<Index> some(static_cast<std::size_t>(all.values.size()));
  std::iota(some.begin(), some.end(), Index{0});
  some = thinned(std::move(some), 40 + 10 * d);
  Data few = subset(all, some);
  set_vague_variances(few);
  tilted_.reset();
  hyper_.axis = Vector();
  hyper_.tilted = {0, 0};
  const FitResult plain = fit_to(few, {hyper_}, most_iterations);
  if (!std::isfinite(plain.log_posterior)) return;
  hyper_ = plain.covariance;
  const TrendTerms terms(hyper_, few);
  std::optional<Covariance> best;
  double highest = -infinity;
  int tried = 0;
  for (Index j = 0; j < d; ++j) {
    if (lens_.scales()[static_cast<std::size_t>(j)] != Scale::position) continue;
    const Vector axis = lens_.frame().factor.row(j).transpose().normalized();
    for (const double rate : first_rates)
      for (const double variance : first_tilted) {
        ++tried;
        Covariance candidate = hyper_;
        candidate.axis = rate * axis;
        candidate.tilted = {variance, variance};
        const double value = log_marginal_likelihood(candidate, few, terms);
        if (!(value > highest)) continue;
        highest = value;
        best = candidate;
        tilted_ = j;
      }
  }
  if (!best) return;
  const FitResult tilted = fit_to(few, {*best}, most_iterations);
  if (tilted.log_posterior > plain.log_posterior + std::log(tried))
    hyper_ = tilted.covariance;
  else
    tilted_.reset();
}

void Landscape::choose_scales(const std::vector<Scale>& natural, const Matrix& positions,
                              const Vector& weights, int most_iterations) {
  const auto score = [&] {
    const Data chosen = for_fitting();
    set_vague_variances(chosen);
    return leave_one_out_score(fit_to(chosen, {hyper_}, most_iterations).covariance, chosen);
  };
  choose_tilt(most_iterations);
  double best = score();
  for (std::size_t j = 0; j < natural.size(); ++j) {
    if (natural[j] == Scale::position || tilted_ == static_cast<Index>(j)) continue;
    const Lens before = lens_;
    std::vector<Scale> scales = before.scales();
    scales[j] = scales[j] == Scale::position ? natural[j] : Scale::position;
    set_lens(Lens(std::move(scales), positions, weights));
    const double other = score();
    if (other > best)
      best = other;
    else
      set_lens(before);
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
