// Landscape: the surrogate that transitions and audits walk on: what all evaluations together say of the
// log-likelihood, everywhere.
#pragma once

#include <optional>
#include <vector>

#include "hunch/core/types.hpp"
#include "hunch/surrogate/fit.hpp"
#include "hunch/surrogate/gaussian_process.hpp"
#include "hunch/surrogate/lens.hpp"
#include "hunch/surrogate/lesson.hpp"

namespace hunch {

struct LandscapeOptions {
  double noise = 1e-2;      // nats; what an evaluation is trusted to, > 0
  double tail_slope = 0.2;  // nats of noise for each nat below the reach, >= 0
  Index most_fitted = 220;  // points that hyperparameters are fitted to, >= 2
  // Nats for each unit of z; what a gradient is trusted to, > 0. Over the width of a posterior it is then
  // worth as much as a value.
  double gradient_noise = 1e-3;
  Index most_fitted_numbers = 500;    // values and coordinates of gradients that are fitted to, >= 2
  Index most_gradient_numbers = 800;  // coordinates of gradients that count at all, >= 0
};

// Depths are nats of log posterior below the best evaluation. Points within the `reach` count fully, deeper
// ones carry noise, and those beyond three times the reach say only "low": they are left out unless the
// surrogate contradicts them. Gradients count where there are any, within the reach.
class Landscape {
 public:
  Landscape(Frame frame, LandscapeOptions options = {});

  // Remembers evaluations; rebuild or refit makes them count. Minus infinity counts as low.
  void add(const std::vector<Lesson>& lessons);
  void reframe(Frame frame);
  // A frame, and a lens, by draws that stand for the posterior: columns, and weights that sum to one.
  void reframe(const Matrix& positions, const Vector& weights);
  void rebuild();                   // same hyperparameters
  void refit(int most_iterations);  // and then rebuild
  // For each parameter whose support has an end, seen as its position or on its natural scale: whichever
  // predicts each evaluation better from all others. `natural` says the latter. Draws as for reframe.
  // And whether a parameter, seen as its position, is the logarithm of a scale.
  void choose_scales(const std::vector<Scale>& natural, const Matrix& positions, const Vector& weights,
                     int most_iterations);

  // The surrogate: the process's mean, in nats.
  double value(const Vector& x, GaussianProcess::Workspace& workspace) const;
  double value_and_gradient(const Vector& x, Vector& gradient, GaussianProcess::Workspace& workspace) const;
  Vector values(const Matrix& xs) const;
  Vector deviations(const Matrix& xs) const;  // standard deviations of the process, nats
  // Whether the process claims a deviation of at most so many nats.
  bool knows(const Vector& x, double deviation, GaussianProcess::Workspace& workspace) const;
  GaussianProcess::Joint joint(const Matrix& xs) const;

  const Frame& frame() const { return frame_; }  // of positions: for those who walk
  const std::vector<Lesson>& lessons() const { return lessons_; }
  Index size() const { return process_ ? process_->size() : 0; }
  const Lesson& best() const { return lessons_[static_cast<std::size_t>(best_)]; }
  double best_log_posterior() const { return best_log_posterior_; }
  double reach() const { return reach_; }
  double depth(const Lesson& lesson) const {
    return best_log_posterior_ - lesson.log_likelihood - lesson.log_prior;
  }
  const Covariance& covariance() const { return hyper_; }

 private:
  struct Observations {
    Data data;
    std::vector<Index> clear;  // within the reach
  };
  struct Slope {
    Index lesson;
    Vector gradient;  // with respect to z, in units of `unit_`
  };
  void measure_depths();
  std::vector<Slope> slopes() const;
  Observations observe(const std::vector<Index>& censored) const;
  void set_vague_variances(const Data& seen);
  void build(const Data& seen);
  std::vector<Index> contradicted(const std::vector<Index>& already) const;
  void choose_sentries();
  void set_lens(Lens lens);
  void choose_tilt(int most_iterations);
  Data for_fitting() const;

  Frame frame_;
  Lens lens_;
  LandscapeOptions options_;
  std::vector<Lesson> lessons_;
  Index best_ = 0;
  double best_log_posterior_;
  double reach_;
  double unit_ = 1;  // nats that count as one: early on, values differ by thousands
  Covariance hyper_;
  std::optional<Index> tilted_;  // which parameter is the logarithm of a scale
  std::optional<GaussianProcess> process_;
  std::optional<MeanFunction> mean_;  // of the process
  // What it would know from some of the points alone: never surer than the process, and quickly asked.
  std::optional<GaussianProcess> sentries_;
};

}  // namespace hunch
