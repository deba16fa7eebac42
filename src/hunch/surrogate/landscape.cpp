#include "hunch/surrogate/landscape.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hunch/core/moments.hpp"
#include "hunch/core/numeric.hpp"
#include "hunch/surrogate/covariance.hpp"

namespace hunch {

namespace {

// Beyond this many reaches a point says only "low".
constexpr double censor_reaches = 3;
// Values are scaled so that the reach is at most this: the priors on hyperparameters are made for nats.
constexpr double comfortable_reach = 30;
constexpr double vaguest = 100;
constexpr Index most_outposts = 300;
// Of these, so many that a deviation known from them alone is a few microseconds' work.
constexpr Index most_sentries = 128;
// The guard begins where most places have a larger deviation than this, in nats, and counts fully only there.
constexpr double well_known = 0.5;
constexpr Index most_probes = 50;
constexpr int most_extensions = 8;  // of its radius, by one unit each
// Nats that each evaluation must be predicted better, on average, for a choice that costs more.
constexpr double clearly = 0.05;

double least_reach(Index dimension, bool deep) {
  const auto d = static_cast<double>(dimension);
  return deep && dimension > 2 ? std::max(20 + d, std::min(20 + 3 * d, 40.0)) : 20 + d;
}

TrendCovariance first_guess(Index d) {
  TrendCovariance covariance;
  covariance.lengthscales = Vector::Constant(d, 1.5 + std::sqrt(static_cast<double>(d)));
  return covariance;
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

}  // namespace

Landscape::Landscape(Frame frame, LandscapeOptions options)
    : frame_(std::move(frame)),
      lens_(frame_),
      options_(options),
      best_log_posterior_(-infinity),
      reach_(least_reach(frame_.centre.size(), options.deep)),
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
  reach_ = std::max(least_reach(d, options_.deep), depths[enough]);
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
  result.data = {Matrix(d, n), Vector(n), Vector(n), Matrix(d, static_cast<Index>(sloped.size())),
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
void Landscape::set_vague_variances(const TrendData& seen) {
  const double spread = 2 * std::sqrt(seen.values.squaredNorm() / static_cast<double>(seen.values.size()));
  hyper_.constant = std::pow(std::max(vaguest, spread), 2);
  const double squares = 0.25 * seen.points.colwise().squaredNorm().array().square().mean();
  hyper_.bowl = hyper_.constant / std::max(squares, 1e-6);
}

void Landscape::build(const TrendData& seen) {
  process_.emplace(hyper_, seen);
  if (process_->bowl_curvature() > 0) {
    // A bowl that opens upwards would promise the most where the least is known.
    TrendCovariance flat = hyper_;
    flat.bowl = 0;
    process_.emplace(flat, seen);
  }
  set_guard();
}

void Landscape::rebuild() {
  std::vector<Index> censored;
  for (int pass = 0; pass < 4; ++pass) {
    const TrendData seen = observe(censored).data;
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
  TrendProcess::Workspace workspace;
  for (std::size_t i = 0; i < lessons_.size(); ++i) {
    const Lesson& lesson = lessons_[i];
    if (depth(lesson) <= censor_reaches * reach_) continue;
    if (std::find(already.begin(), already.end(), static_cast<Index>(i)) != already.end()) continue;
    if (value(lesson.position, workspace) + lesson.log_prior > best_log_posterior_ - censor_reaches * reach_)
      result.push_back(static_cast<Index>(i));
  }
  return result;
}

// A spread-out choice of the points within the reach.
void Landscape::set_outposts() {
  std::vector<Vector> good;
  for (const Lesson& lesson : lessons_)
    if (depth(lesson) <= reach_) lens_.look(lesson.position, good.emplace_back(lesson.position.size()));
  const auto n = static_cast<Index>(good.size());
  const Index d = frame_.centre.size();
  const Index kept = std::min(n, most_outposts);
  outposts_.resize(kept, d);
  Vector nearest = Vector::Constant(n, infinity);  // squared distance to what is chosen already
  Index next = 0;
  for (Index k = 0; k < kept; ++k) {
    outposts_.row(k) = good[static_cast<std::size_t>(next)].transpose();
    for (Index i = 0; i < n; ++i)
      nearest[i] = std::min(nearest[i],
                            (good[static_cast<std::size_t>(i)] - outposts_.row(k).transpose()).squaredNorm());
    nearest.maxCoeff(&next);
  }
}

// Whether the process is sure of most places that lie so far out from the outermost outposts.
bool Landscape::knows_beyond(double radius) const {
  std::vector<Index> order(static_cast<std::size_t>(outposts_.rows()));
  std::iota(order.begin(), order.end(), 0);
  const Vector distances = outposts_.rowwise().squaredNorm();
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return distances[a] > distances[b]; });
  const Index n = std::min<Index>(outposts_.rows(), most_probes);
  Matrix probes(outposts_.cols(), n);
  for (Index k = 0; k < n; ++k) {
    const Vector outpost = outposts_.row(order[static_cast<std::size_t>(k)]).transpose();
    probes.col(k) = outpost * (1 + radius / std::max(outpost.norm(), 1e-6));
  }
  Vector variances = process_->variances(probes);
  const Index most = 9 * n / 10;
  std::nth_element(variances.begin(), variances.begin() + most, variances.end());
  return unit_ * std::sqrt(variances[most]) < well_known;
}

// How far beyond the nearest outpost the surrogate may be believed: somewhat more than outposts are usually
// apart, or as far as the process is sure of itself. A guard that begins earlier is an error of its own where
// a quadratic is all there is, the more so in many dimensions, where every draw is far from every other.
void Landscape::set_guard() {
  set_outposts();
  const Index kept = outposts_.rows();
  const Index n = std::min(kept, most_sentries);
  sentries_.emplace(process_->covariance(), TrendData{outposts_.topRows(n).transpose(), Vector::Zero(n),
                                                      Vector::Constant(n, options_.noise * options_.noise)});
  std::vector<double> gaps;
  for (Index k = 0; k < kept; ++k) {
    double least = infinity;
    for (Index j = 0; j < kept; ++j)
      if (j != k) least = std::min(least, (outposts_.row(k) - outposts_.row(j)).squaredNorm());
    gaps.push_back(std::sqrt(least));
  }
  std::nth_element(gaps.begin(), gaps.begin() + kept / 2, gaps.end());
  const double typical = kept > 1 ? gaps[static_cast<std::size_t>(kept / 2)] : 1;
  guard_radius_ = 1 + 1.25 * typical;
  for (int i = 0; i < most_extensions && knows_beyond(guard_radius_ + 1); ++i) guard_radius_ += 1;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(process_->trend_curvature(), Eigen::EigenvaluesOnly);
  guard_strength_ = options_.guarded ? 0.5 + 2 * unit_ * std::max(0.0, eigen.eigenvalues().maxCoeff()) : 0;
}

// Within the reach, where there is no noise to speak of; of many, evenly from shallow to deep. Gradients
// fill what room the values leave.
TrendData Landscape::for_fitting() const {
  const auto [all, clear] = observe({});
  std::vector<Index> order = clear;
  if (static_cast<Index>(order.size()) > options_.most_fitted) {
    std::stable_sort(order.begin(), order.end(),
                     [&values = all.values](Index a, Index b) { return values[a] > values[b]; });
    order = thinned(std::move(order), options_.most_fitted);
  }
  const Index n = static_cast<Index>(order.size());
  const Index d = all.points.rows();
  const auto others =
      std::stable_partition(order.begin(), order.end(), [m = all.sloped()](Index i) { return i < m; });
  const std::vector<Index> sloped =
      thinned(std::vector<Index>(order.begin(), others), (options_.most_fitted_numbers - n) / d);
  const auto m = static_cast<Index>(sloped.size());
  std::stable_partition(order.begin(), others,
                        [&](Index i) { return std::find(sloped.begin(), sloped.end(), i) != sloped.end(); });
  TrendData chosen{Matrix(d, n), Vector(n), Vector(n), Matrix(d, m), all.gradient_noise_variance};
  for (Index k = 0; k < n; ++k) {
    const Index from = order[static_cast<std::size_t>(k)];
    chosen.points.col(k) = all.points.col(from);
    chosen.values[k] = all.values[from];
    chosen.noise_variances[k] = all.noise_variances[from];
    if (k < m) chosen.gradients.col(k) = all.gradients.col(from);
  }
  return chosen;
}

void Landscape::refit(int most_iterations) {
  const TrendData chosen = for_fitting();
  set_vague_variances(chosen);
  TrendCovariance other = first_guess(frame_.centre.size());
  other.signal = 0.01;
  other.quadratic = 0.3;
  other.constant = hyper_.constant;
  other.bowl = hyper_.bowl;
  const TrendFit fit = fit_trend({hyper_, other}, texture(), chosen, most_iterations);
  if (std::isfinite(fit.log_posterior)) hyper_ = fit.covariance;
  rebuild();
}

TrendFit Landscape::fitted(const TrendData& seen, Texture texture, int most_iterations) const {
  return fit_trend({hyper_}, texture, seen, most_iterations);
}

Texture Landscape::texture() const {
  return hyper_.rough > 0 ? Texture::rough : Texture::smooth;
}

void Landscape::choose_texture(int most_iterations) {
  const TrendData chosen = for_fitting();
  set_vague_variances(chosen);
  const TrendFit smooth = fitted(chosen, Texture::smooth, most_iterations);
  const TrendFit rough = fitted(chosen, Texture::rough, most_iterations);
  const TrendFit& better = rough.leave_one_out > smooth.leave_one_out + clearly ? rough : smooth;
  if (std::isfinite(better.log_posterior)) hyper_ = better.covariance;
  rebuild();
}

void Landscape::choose_scales(const std::vector<Scale>& natural, const Matrix& positions,
                              const Vector& weights, int most_iterations) {
  const auto score = [&] {
    const TrendData chosen = for_fitting();
    set_vague_variances(chosen);
    return fitted(chosen, texture(), most_iterations).leave_one_out;
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

// What the process knows makes up for distance: on the banana's arms the guard alone was an error of 1 to 2
// nats, where the process erred by .01, and chains that went there stayed for several rounds.
Landscape::Guard Landscape::guard(const Vector& z, TrendProcess::Workspace& workspace) const {
  workspace.distances.resize(outposts_.rows());
  squared_distances(outposts_, z, workspace.distances);
  Guard result{0, 0, 0};
  const double distance = std::sqrt(workspace.distances.minCoeff(&result.nearest));
  const double beyond = distance - guard_radius_;
  if (!(beyond > 0) || guard_strength_ == 0) return result;
  const double unsure =
      std::min(1.0, unit_ * unit_ * sentries_->variance(z, workspace) / (well_known * well_known));
  result.nats = unsure * guard_strength_ * beyond * beyond;
  result.slope = unsure * guard_strength_ * 2 * beyond / distance;
  return result;
}

double Landscape::value(const Vector& x, TrendProcess::Workspace& workspace) const {
  lens_.look(x, workspace.seen);
  const Vector& z = workspace.seen;
  const double lowered = guard(z, workspace).nats;
  return unit_ * process_->mean(z, workspace) + best().log_likelihood - lowered;
}

double Landscape::value_and_gradient(const Vector& x, Vector& gradient,
                                     TrendProcess::Workspace& workspace) const {
  lens_.look(x, workspace.seen);
  const Vector& z = workspace.seen;
  Vector& slope = workspace.slope;
  const Guard lowered = guard(z, workspace);
  const double mean = process_->mean_and_gradient(z, slope, workspace);
  slope *= unit_;
  if (lowered.nats > 0) slope -= lowered.slope * (z - outposts_.row(lowered.nearest).transpose());
  lens_.pull_back(x, slope, gradient);
  return unit_ * mean + best().log_likelihood - lowered.nats;
}

Vector Landscape::values(const Matrix& xs) const {
  Vector result(xs.cols());
  TrendProcess::Workspace workspace;
  for (Index i = 0; i < xs.cols(); ++i) result[i] = value(xs.col(i), workspace);
  return result;
}

Vector Landscape::guards(const Matrix& xs) const {
  Vector result(xs.cols());
  TrendProcess::Workspace workspace;
  for (Index i = 0; i < xs.cols(); ++i) {
    lens_.look(xs.col(i), workspace.seen);
    result[i] = guard(workspace.seen, workspace).nats;
  }
  return result;
}

Vector Landscape::deviations(const Matrix& xs) const {
  return unit_ * process_->variances(lens_.look(xs)).cwiseSqrt();
}

TrendProcess::Joint Landscape::joint(const Matrix& xs) const {
  TrendProcess::Joint joint = process_->joint(lens_.look(xs));
  joint.means = values(xs);
  joint.covariance *= unit_ * unit_;
  return joint;
}

}  // namespace hunch
