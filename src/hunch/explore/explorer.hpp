// Explorer: from first guesses to a surrogate that knows the posterior: find its bulk, then learn it.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "hunch/core/rng.hpp"
#include "hunch/explore/explore_options.hpp"
#include "hunch/explore/survey.hpp"
#include "hunch/surrogate/landscape.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

// An evaluation at a random draw, against what the surrogate said before it knew it.
struct Audit {
  double error;      // exact less predicted, nats
  double deviation;  // claimed, nats
};

// The factor by which the last audits say that deviations are to be multiplied; near 1 for a surrogate that
// knows what it knows. Shrunk towards 1 by four audits' worth of belief. Where the likelihood is zero there
// is no error to speak of.
double calibration(const std::vector<Audit>& audits, std::size_t last);

// Learning ends when an evaluation more saves less than it costs: of `draws`, each of which is an evaluation
// that is refused with a probability given by the surrogate's deviation. With a tolerance, when every
// posterior mean (in sds) and log sd is known that well.
struct LearningGoal {
  std::int64_t evaluations;  // in all, after which it gives up
  std::int64_t draws = 0;
  double tolerance = 0;  // if > 0 it counts, and draws do not
};

class Explorer {
 public:
  Explorer(const Parameters& parameters, PriorBox box, std::uint64_t seed, EvaluateBatch evaluate,
           const ExploreOptions& options = {});

  // From the prior's middle and the points given, to a first landscape.
  void find(const std::vector<Vector>& first);

  enum class Result { learned, gave_up };
  Result learn(const LearningGoal& goal);

  // Evaluations made elsewhere; they count from the next rebuild on.
  void absorb(const std::vector<Lesson>& lessons);
  void remember(const std::vector<Audit>& audits);

  const std::optional<Found>& found() const { return found_; }
  Landscape& landscape() { return landscape_; }
  const Landscape& landscape() const { return landscape_; }
  const Survey& survey() const { return survey_; }
  Surveyor& surveyor() { return surveyor_; }
  const std::vector<Audit>& audits() const { return audits_; }
  // By the last audits, nats: the surrogate's error where a mean or an sd is decided.
  double error_where_it_counts() const;
  // What the surrogate's claims about moments are to be multiplied by: more than 1 where the log-likelihood
  // rises and falls within the posterior's width, as it does between two modes.
  double doubt() const;
  // Rebuilds the landscape with what is known, in a frame by its own draws; refits if enough is new.
  void look_again();

 private:
  void climb();
  void refit();
  void rebuild_or_refit();
  Index each_round() const { return std::max<Index>(2, (parameters_.dimension() + 1) / 2); }
  bool fills_frame() const;
  bool sloped() const { return landscape_.best().gradient.has_value(); }
  bool knows_enough(const LearningGoal& goal, const Choice& next) const;

  const Parameters& parameters_;
  PriorBox box_;
  std::uint64_t seed_;
  EvaluateBatch evaluate_;
  ExploreOptions options_;
  Landscape landscape_;
  Surveyor surveyor_;
  Survey survey_;
  std::vector<Audit> audits_;
  std::optional<Found> found_;
  Index fitted_at_ = 0;
  Index scaled_at_ = 0;
  double climbed_to_;
};

}  // namespace hunch
