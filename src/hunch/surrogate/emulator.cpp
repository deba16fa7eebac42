#include "hunch/surrogate/emulator.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/surrogate/fit.hpp"
#include "hunch/surrogate/joint_fit.hpp"

namespace hunch {

namespace {

const double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Emulator::Emulator(Index dimension, EmulatorOptions options)
    : dimension_(dimension),
      options_(options),
      best_log_posterior_(-infinity),
      next_fit_(options.first_fit) {}

void Emulator::learn(const std::vector<Lesson>& fresh, Refit refit) {
  for (const Lesson& lesson : fresh) {
    if (!std::isfinite(lesson.log_likelihood)) continue;
    lessons_.push_back(lesson);
    const double log_posterior = lesson.log_likelihood + lesson.log_prior;
    if (log_posterior > best_log_posterior_) {
      best_log_posterior_ = log_posterior;
      reference_ = lesson.log_likelihood;
      soften_again();
    }
    admit(lessons() - 1);
  }
  if (lessons() >= next_fit_ && refit == Refit::allowed) fit_again();
}

PairBelief Emulator::pair(const Vector& x, const Vector& y) const {
  if (const auto* values = std::get_if<GaussianProcess>(&process_)) return values->pair(x, y);
  if (const auto* joint = std::get_if<JointProcess>(&process_)) return joint->pair(x, y);
  if (const auto* local = std::get_if<LocalProcess>(&process_)) return local->pair(x, y);
  return {Vector::Constant(2, unknown), Vector::Zero(2), Matrix::Zero(2, 2), 0};
}

// Points thousands of nats down would cost the process its accuracy at the top. Beyond tail_depth below the
// best, only the order is kept, on a logarithmic scale; the slope at the join is one.
double Emulator::softened(double log_likelihood) const {
  const double beyond = reference_ - options_.tail_depth - log_likelihood;
  if (!(beyond > 0)) return log_likelihood;
  return log_likelihood + beyond - options_.tail_softness * std::log1p(beyond / options_.tail_softness);
}

bool Emulator::known_well(const GaussianProcess::Prediction& known, double value) const {
  return std::sqrt(known.variance) < options_.tolerance && std::abs(known.mean - value) < options_.tolerance;
}

Vector Emulator::softened_gradient(const Lesson& lesson) const {
  const double beyond = reference_ - options_.tail_depth - lesson.log_likelihood;
  return beyond > 0 ? Vector(*lesson.gradient / (1 + beyond / options_.tail_softness)) : *lesson.gradient;
}

// Adds a lesson to the process, unless the process already knew it well: a smaller process is a faster one.
void Emulator::admit(Index lesson_number) {
  const Lesson& lesson = lessons_[lesson_number];
  const double value = softened(lesson.log_likelihood);
  if (auto* values = std::get_if<GaussianProcess>(&process_)) {
    if (known_well(values->predict(lesson.position), value)) return;
    if (values->append(lesson.position, value) == Admission::refused) return;
  } else if (auto* joint = std::get_if<JointProcess>(&process_)) {
    if (known_well(joint->predict(lesson.position), value)) return;
    if (joint->append(lesson.position, value, softened_gradient(lesson)) == Admission::refused) return;
  } else if (auto* local = std::get_if<LocalProcess>(&process_)) {
    if (known_well(local->predict(lesson.position), value)) return;
    const Vector slope = options_.observes == Observes::values ? Vector() : softened_gradient(lesson);
    if (local->append(lesson.position, value, slope) == Admission::refused) return;
  } else {
    return;  // the first fit takes them all
  }
  kept_.push_back(lesson_number);
  become_local_if_large();
}

void Emulator::become_local_if_large() {
  const LocalForm form = options_.local.value_or(measured_local_form(options_.observes));
  const auto move_to_local = [&](double prior_mean) {
    LocalProcess local(*covariance_, prior_mean, options_.observes, form.neighbours);
    local.take(observations(kept_));
    process_ = std::move(local);
  };
  if (size() < form.from) return;
  if (const auto* values = std::get_if<GaussianProcess>(&process_))
    return move_to_local(values->prior_mean());
  if (const auto* joint = std::get_if<JointProcess>(&process_)) return move_to_local(joint->prior_mean());
}

JointData Emulator::observations(const std::vector<Index>& numbers) const {
  const Index n = static_cast<Index>(numbers.size());
  const bool gradients = options_.observes == Observes::values_and_gradients;
  JointData data{Matrix(dimension_, n), Vector(n), Matrix(dimension_, gradients ? n : 0)};
  for (Index i = 0; i < n; ++i) {
    const Lesson& lesson = lessons_[numbers[i]];
    data.points.col(i) = lesson.position;
    data.values[i] = softened(lesson.log_likelihood);
    if (gradients) data.gradients.col(i) = softened_gradient(lesson);
  }
  return data;
}

// The softened values follow the best evaluation: once it rises, those in the tail rise with it.
void Emulator::soften_again() {
  if (std::holds_alternative<std::monostate>(process_)) return;
  const JointData data = observations(kept_);
  if (auto* values = std::get_if<GaussianProcess>(&process_)) {
    if (data.values != values->values()) values->set_values(data.values);
  } else if (auto* joint = std::get_if<JointProcess>(&process_)) {
    if (data.values != joint->values()) joint->set_observations(data.values, data.gradients);
  } else if (auto* local = std::get_if<LocalProcess>(&process_)) {
    local->set_observations(data.values, data.gradients);
  }
}

// New hyperparameters from all lessons, and all of them offered again: what one covariance found redundant,
// another may need.
void Emulator::fit_again() {
  std::vector<Index> all(lessons_.size());
  std::iota(all.begin(), all.end(), Index{0});
  const JointData data = observations(all);
  if (options_.observes == Observes::values) {
    const FitResult fitted = fit(data.points, data.values, options_.family, {}, covariance_);
    covariance_ = fitted.covariance;
    process_ = GaussianProcess(fitted.covariance, fitted.prior_mean);
  } else {
    const FitResult fitted = fit_joint(data, options_.family, {}, covariance_);
    covariance_ = fitted.covariance;
    process_ = JointProcess(fitted.covariance, fitted.prior_mean);
  }
  kept_.clear();
  for (Index i : all) admit(i);
  const double grown = options_.fit_growth * static_cast<double>(lessons());
  next_fit_ = std::max(lessons() + 1, static_cast<Index>(std::ceil(grown)));
}

}  // namespace hunch
