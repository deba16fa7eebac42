// Emulator: the surrogate that learns on the fly: what to keep of each evaluation, when to fit, what to
// believe.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/surrogate/lesson.hpp"
#include "hunch/surrogate/local_process.hpp"

namespace hunch {

enum class Refit { allowed, forbidden };  // hyperparameters change in burn-in only

struct EmulatorOptions {
  Observes observes = Observes::values;
  CovarianceFamily family = CovarianceFamily::squared_exponential;
  double tail_depth = 30;  // nats below the best evaluation from which on values are softened, > 0
  double tail_softness =
      30;  // nats; a value t nats beyond tail_depth counts as softness * log(1 + t/softness), > 0
  double tolerance = 0.01;  // nats; a point known this well, and found to be so, is not added, >= 0
  Index first_fit = 3;      // evaluations before the first fit, >= 2
  double fit_growth = 1.4;  // next fit when there are this many times more, > 1
  std::optional<LocalForm> local = std::nullopt;  // default: measured_local_form; from >= 1, neighbours >= 1
};

// Until first_fit evaluations were made there is no surrogate: beliefs are then unusable (NaN), and every
// proposal is paid for.
class Emulator {
 public:
  Emulator(Index dimension, EmulatorOptions options);

  // Adds evaluations in the order given; those with a log-likelihood of minus infinity teach nothing here.
  void learn(const std::vector<Lesson>& fresh, Refit refit);

  PairBelief pair(const Vector& x, const Vector& y) const;

  Index lessons() const { return static_cast<Index>(lessons_.size()); }
  Index size() const { return static_cast<Index>(kept_.size()); }
  bool is_local() const { return std::holds_alternative<LocalProcess>(process_); }
  const std::optional<Covariance>& covariance() const { return covariance_; }

 private:
  double softened(double log_likelihood) const;
  Vector softened_gradient(const Lesson& lesson) const;
  bool known_well(const GaussianProcess::Prediction& known, double value) const;
  Data observations(const std::vector<Index>& numbers) const;
  void admit(Index lesson_number);
  void become_local_if_large();
  void soften_again();
  void fit_again();

  Index dimension_;
  EmulatorOptions options_;
  // All lessons, raw: their softened values follow from `reference_`, the log-likelihood of the evaluation
  // with the highest posterior density so far. `kept_` are those that the process is conditioned on, in its
  // order.
  std::vector<Lesson> lessons_;
  std::vector<Index> kept_;
  double best_log_posterior_;
  double reference_ = 0;
  Index next_fit_;
  std::optional<Covariance> covariance_;  // none before the first fit
  // Dense while it holds few points, then local: see LocalForm. A fit starts with none.
  std::variant<std::monostate, GaussianProcess, LocalProcess> process_;
};

}  // namespace hunch
