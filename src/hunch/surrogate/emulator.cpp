#include "hunch/surrogate/emulator.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/surrogate/fit.hpp"

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
  return std::visit(
      [&]<class Process>(const Process& process) -> PairBelief {
        if constexpr (!std::is_same_v<Process, std::monostate>)
          return process.pair(x, y);
        else
          return {Vector::Constant(2, unknown), Vector::Zero(2), Matrix::Zero(2, 2), 0};
      },
      process_);
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
// Before the first fit there is none; that takes them all.
void Emulator::admit(Index lesson_number) {
  const Lesson& lesson = lessons_[lesson_number];
  const double value = softened(lesson.log_likelihood);
  const Vector slope = options_.observes == Observes::values ? Vector() : softened_gradient(lesson);
  const bool added = std::visit(
      [&]<class Process>(Process& process) {
        if constexpr (!std::is_same_v<Process, std::monostate>)
          return !known_well(process.predict(lesson.position), value) &&
                 process.append(lesson.position, value, slope) == Admission::admitted;
        else
          return false;
      },
      process_);
  if (!added) return;
  kept_.push_back(lesson_number);
  become_local_if_large();
}

void Emulator::become_local_if_large() {
  const LocalForm form = options_.local.value_or(measured_local_form(options_.observes));
  const auto* dense = std::get_if<GaussianProcess>(&process_);
  if (size() < form.from || dense == nullptr) return;
  LocalProcess local(*covariance_, options_.observes, dense->prior_mean(), form.neighbours);
  local.take(observations(kept_));
  process_ = std::move(local);
}

Data Emulator::observations(const std::vector<Index>& numbers) const {
  const Index n = static_cast<Index>(numbers.size());
  const bool gradients = options_.observes == Observes::values_and_gradients;
  Data data{Matrix(dimension_, n), Vector(n), Matrix(dimension_, gradients ? n : 0)};
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
  std::visit(
      [&]<class Process>(Process& process) {
        if constexpr (!std::is_same_v<Process, std::monostate>) {
          const Data data = observations(kept_);
          process.set_observations(data.values, data.gradients);
        }
      },
      process_);
}

// New hyperparameters from all lessons, and all of them offered again: what one covariance found redundant,
// another may need.
void Emulator::fit_again() {
  std::vector<Index> all(lessons_.size());
  std::iota(all.begin(), all.end(), Index{0});
  const FitResult fitted = fit_stationary(observations(all), options_.family, covariance_);
  covariance_ = fitted.covariance;
  process_ = GaussianProcess(fitted.covariance, options_.observes, fitted.prior_mean);
  kept_.clear();
  for (Index i : all) admit(i);
  const double grown = options_.fit_growth * static_cast<double>(lessons());
  next_fit_ = std::max(lessons() + 1, static_cast<Index>(std::ceil(grown)));
}

}  // namespace hunch
